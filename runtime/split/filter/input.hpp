// Counts the bytes read from the launcher's standard input: a pipe or a socket, which a restart cannot read again.
//
// INV-86 bytes counted as read from the launcher's standard input come from the launcher's own pipe or socket, by
// whatever number. If another process may have read from it, a checkpoint says so. This process, its forked children,
// and executed programs that mana follows are all counted.
#pragma once
#include <cstdint>
#include <span>

namespace mana::split {

struct trap;

struct input_file {
  std::uint64_t device, inode;
};

/// The count of the program that this process was before, or of its parent.
struct earlier_count {
  bool is_there = false;    // false: the launcher started this process
  int descriptor = -1;      // -1: it was lost on the way
};

/// Starts to trap calls that read from the input. Call it before the filter is installed.
/// in: input    the launcher's
///     numbers  this process's descriptors of the input; empty: nothing is counted
void count_input(input_file input, std::span<const int> numbers, earlier_count earlier);

bool counts_input() noexcept;
/// The descriptors that the filter traps, ascending. They include 0: the input may return there.
std::span<const int> input_numbers() noexcept;
/// Whether a descriptor is the counted input.
bool is_input(int fd) noexcept;

/// Number of bytes.
std::uint64_t input_read() noexcept;
/// Whether uncounted reads are possible: a process outside mana had the input, or the program had it at an untrapped
/// number.
bool may_be_read_by_others() noexcept;

/// Checks a new descriptor of the program. Allowed in any role.
void watch_for_input(const trap& t, long fd) noexcept;

/// The descriptor of the count; -1: there is none.     in: survives  whether it stays open over an execution
int give_count(bool survives) noexcept;
/// This process, which has a copy of the count, is about to execute a program that mana does not follow.
void lose_input() noexcept;

}  // namespace mana::split
