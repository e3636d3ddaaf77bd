// What the kernel keeps of the upper half's process and of its threads, beside memory and descriptors: the image section
// "process". Images of older versions have none.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::process_state {

/// Before the program runs, or runs again, in this process and after the live MPI's start in a restart: what the launcher
/// gave is remembered, and threads that park say what they have.
void begin();

/// While the live MPI starts on a thread of the program. What it changes, and what processes it starts, are not the
/// program's.
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
  std::vector<std::string> warnings;      // what a restart will not have, in words
  std::vector<std::string> children;      // processes that are alive, in words
};

/// On the thread that called MPI_Init; all others are parked, and it holds signals back (signal_hold).
captured capture();

/// In a fresh process. Threads take what is theirs when they continue.
void restore(std::span<const std::uint8_t> bytes);

/// Of an image without the section.
void restore_nothing();

/// Once the program's memory is mapped, and before restore_mappings(): contexts of asynchronous I/O.
/// errors: std::runtime_error
void restore_async_rings();

/// Once the program's memory is mapped, and before it is filled: what its mappings were advised, locked and placed, and what pages
/// the process does without.
void restore_mappings();

/// After restore(): true if a mapping in [begin, end) has something to be restored, or all have.
bool is_advised(std::uint64_t begin, std::uint64_t end);

/// In words, if there are fewer.
std::vector<std::string> fewer_processors(std::uint64_t then, std::uint64_t now);

/// On the thread that called MPI_Init, last of all before the program runs on: what is its own and the process's; signals
/// that were pending are so again, timers run. out: what is not as it was, in words
std::vector<std::string> continue_process();

}  // namespace mana::process_state
