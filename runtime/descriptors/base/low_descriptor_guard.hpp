// Keeps the lower half's descriptors out of the numbers that programs get: a program that opens a file finds the number
// that it would find natively, and at a restart finds its numbers free.
#pragma once
#include <runtime/files/high_number.hpp>

#include <bitset>

namespace mana::descriptors {

inline constexpr int most_low_descriptors = files::most_low_numbers;

/// The lower half's own descriptors have numbers from here on, as far as the limit of open files allows.
int first_lower_descriptor() noexcept;

/// While one lives, what is opened gets a high number: all low numbers that are free are taken, and given back at its
/// end. Not for code that the program's threads run beside.
class low_descriptor_guard {
 public:
  low_descriptor_guard();
  ~low_descriptor_guard();
  low_descriptor_guard(const low_descriptor_guard&) = delete;
  low_descriptor_guard& operator=(const low_descriptor_guard&) = delete;

 private:
  std::bitset<most_low_descriptors> own_;
};

/// Before a program starts: the descriptor that a launcher's process manager handed down (PMI_FD) gets a high number
/// besides, which this process's environment names; the program has it where it was, as natively, and so have its
/// children, one of which may be the one that calls MPI_Init. Then takes all low numbers, as a guard does, until
/// begin().
void copy_launcher_descriptor() noexcept;

/// Before a restart: it is moved, since the program may have had another descriptor at its number. Until restore().
void move_launcher_descriptor() noexcept;

/// True if the program may have the number, though it is open: a guard took it, who does not give it back any more, or
/// it was handed down to this process.
bool give_number(int fd) noexcept;

/// A guard holds it, or it was there when this process began and is not the program's.
bool is_guarded(int fd) noexcept;

/// Gives back whatever is still taken.
void release_low_numbers() noexcept;

}  // namespace mana::descriptors
