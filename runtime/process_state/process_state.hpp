// State that the kernel keeps for the upper half's process and its threads, besides memory and descriptors: the image's
// section "process". Images of older versions have none.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::process_state {

/// Call before the program runs in this process. In a restart, call it after the live MPI's start, before the program
/// runs again. Remembers the launcher's values. From now on threads report their state when they park.
void begin();

/// Exists while the live MPI starts on a thread of the program. The MPI's changes, and processes that it starts, are
/// not the program's.
class lower_half_start {
 public:
  lower_half_start();
  ~lower_half_start();
  lower_half_start(const lower_half_start&) = delete;
  lower_half_start& operator=(const lower_half_start&) = delete;

 private:
  struct before;
  before* before_;
};

struct captured {
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> warnings;      // what a restart will lack, as text
  std::vector<std::string> children;      // living processes, as text
};

/// Call on the thread that called MPI_Init. All others are parked, and the thread blocks signals (signal_hold).
captured capture();

/// Call in a fresh process. Threads take their own state when they continue.
void restore(std::span<const std::uint8_t> bytes);

/// For an image without the section.
void restore_nothing();

/// Restores contexts of asynchronous I/O. Call when the program's memory is mapped, before restore_mappings().
/// errors: std::runtime_error
void restore_async_rings();

/// Restores advice, locks and places of mappings, and the kinds of pages that the process excludes. Call when the
/// program's memory is mapped, before it is filled.
void restore_mappings();

/// Call after restore(). True if a mapping in [begin, end) has a property to restore, or all have.
bool is_advised(std::uint64_t begin, std::uint64_t end);

/// A text, if there are fewer.
std::vector<std::string> fewer_processors(std::uint64_t then, std::uint64_t now);

/// Restores the state of the initial thread and of the process: signals are pending again, and timers run. Call on the
/// thread that called MPI_Init, last of all before the program runs again. out: what differs from before, as text
std::vector<std::string> continue_process();

}  // namespace mana::process_state
