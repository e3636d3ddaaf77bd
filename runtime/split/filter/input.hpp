// How much was read of what the launcher sends to its standard input: a pipe or a socket, which no restart can read once more.
//
// INV-86 what is counted as read of the launcher's standard input was taken of the launcher's own pipe or socket, by whatever number;
// where somebody else may have taken of it, a checkpoint says so. By this process, children forked off, and those that
// mana has taken along.
#pragma once
#include <cstdint>
#include <span>

namespace mana::split {

struct trap;

struct input_file {
  std::uint64_t device, inode;
};

/// Of the process that this one was before, or is a child of.
struct earlier_count {
  bool is_there = false;    // false: the launcher started this process
  int descriptor = -1;      // -1: it was lost on the way
};

/// Calls that take of the input are trapped from now on. Before the filter is installed.
/// in: input    the launcher's
///     numbers  by which this process has it; empty: nothing is counted
void count_input(input_file input, std::span<const int> numbers, earlier_count earlier);

bool counts_input() noexcept;
/// Those that the filter traps, ascending. 0 is among them: the input may come back there.
std::span<const int> input_numbers() noexcept;
/// Whether a descriptor is the input that is counted.
bool is_input(int fd) noexcept;

/// Bytes.
std::uint64_t input_read() noexcept;
/// Who is not under mana had the input, or the program had it by a number that is not trapped, and it may have been read.
bool may_be_read_by_others() noexcept;

/// The program has a new descriptor. In any role.
void watch_for_input(const trap& t, long fd) noexcept;

/// A descriptor with the count, which stays open over an execution from now on, or does not any more. -1: there is none
int give_count(bool survives) noexcept;
/// This process, which has a copy of the count, is about to become what mana does not see.
void lose_input() noexcept;

}  // namespace mana::split
