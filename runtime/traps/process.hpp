// What the upper half may read about itself in /proc, and what its children do not get.
#pragma once
#include "program_memory.hpp"

#include <mana/lower/abi.hpp>

namespace mana::split {

/// Whoever wants to know hears that this process is about to execute `path` without mana. What cannot be read is not
/// told: the call will fail.
void tell_of_exec(program_pointer<const char> path) noexcept;

/// What a path names.
enum class own_file {
  none,
  program,    // the running program's file: /proc/self/exe and its kin
  arguments,  // /proc/self/cmdline and its kin
};
own_file named_by(const char* path) noexcept;
/// none, if it cannot be read.
own_file named_by(program_pointer<const char> path) noexcept;

/// A new descriptor from which the program's arguments can be read as they are now in its memory. errors: as -errno
long open_own_arguments(long flags) noexcept;

/// A thread has the table of descriptors of the one that made it.
void share_descriptors(const lower::thread_block& creator, const lower::thread_block& created) noexcept;

/// A descriptor of the lower half that stands for this process: its copies in children would keep what it holds after
/// the process has ended. One at most; negative: none.
void close_in_forked_children(int fd) noexcept;
/// In a forked child that has a table of descriptors of its own.
void close_what_stands_for_parent() noexcept;

}  // namespace mana::split
