// Keeps the lower half's descriptors away from the numbers that programs get. A program that opens a file gets the
// number that it would get natively. At a restart it finds its numbers free.
#pragma once
#include <runtime/files/high_number.hpp>

#include <bitset>

namespace mana::descriptors {

inline constexpr int most_low_descriptors = files::most_low_numbers;

/// The first number of the lower half's own descriptors, as far as the limit of open files permits.
int first_lower_descriptor() noexcept;

/// While a guard exists, new descriptors get high numbers: the guard takes all free low numbers, and gives them back at
/// its end. Not for code that runs beside the program's threads.
class low_descriptor_guard {
 public:
  low_descriptor_guard();
  ~low_descriptor_guard();
  low_descriptor_guard(const low_descriptor_guard&) = delete;
  low_descriptor_guard& operator=(const low_descriptor_guard&) = delete;

 private:
  std::bitset<most_low_descriptors> own_;
};

/// Call before a program starts. A launcher's process manager hands down a descriptor (PMI_FD). A copy gets a high
/// number, which this process's environment names. The program keeps the descriptor at its old number, as natively. Its
/// children do too, because one of them may call MPI_Init. Then takes all low numbers, as a guard does, until begin().
void copy_launcher_descriptor() noexcept;

/// Call before a restart. Moves the descriptor, since the program may have had another at its number. Lasts until
/// restore().
void move_launcher_descriptor() noexcept;

/// True if the program may have the number although it is open: a guard took it, and no longer gives it back, or this
/// process inherited it.
bool give_number(int fd) noexcept;

/// A guard holds the number, or the number was open when this process began and is not the program's.
bool is_guarded(int fd) noexcept;

/// Gives back all numbers that are still taken.
void release_low_numbers() noexcept;

}  // namespace mana::descriptors
