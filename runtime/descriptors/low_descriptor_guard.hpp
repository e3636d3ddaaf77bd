// Keeps the lower half's descriptors out of the numbers that programs get: a program that opens a file finds the number
// that it would find natively, and at a restart finds its numbers free.
#pragma once
#include <vector>

namespace mana::descriptors {

/// The lower half's own descriptors have numbers from here on, as far as the limit of open files allows.
int first_lower_descriptor() noexcept;

/// While one lives, what is opened gets a high number. Not for code that the program's threads run beside.
class low_descriptor_guard {
 public:
  low_descriptor_guard();
  ~low_descriptor_guard();
  low_descriptor_guard(const low_descriptor_guard&) = delete;
  low_descriptor_guard& operator=(const low_descriptor_guard&) = delete;

 private:
  std::vector<int> fillers_;
};

/// Moves the descriptor that a launcher's process manager handed down (PMI_FD) to a high number, and says so in the
/// environment. Before MPI starts.
void move_launcher_descriptor() noexcept;

}  // namespace mana::descriptors
