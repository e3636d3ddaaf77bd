// Keeps the lower half's descriptors out of the numbers that programs get: a program that opens a file finds the number
// that it would find natively, and at a restart finds its numbers free.
#pragma once
#include <bitset>

namespace mana::descriptors {

inline constexpr int most_low_descriptors = 512;

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

/// Before MPI starts: moves the descriptor that a launcher's process manager handed down (PMI_FD) to a high number, and
/// says so in the environment; then takes all low numbers, as a guard does, until begin() or restore().
void move_launcher_descriptor() noexcept;

/// True if the program may have the number, though it is open: a guard took it, who does not give it back any more, or
/// it was handed down to this process.
bool give_number(int fd) noexcept;

/// Gives back whatever is still taken.
void release_low_numbers() noexcept;

}  // namespace mana::descriptors
