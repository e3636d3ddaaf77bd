// What the upper half may read about itself in /proc, and what its children do not get.
#pragma once
#include <runtime/split/call/program_memory.hpp>

#include <mana/lower/abi.hpp>

namespace mana::split {

/// Whoever wants to know hears that this process is about to execute `path` without mana. What cannot be read is not
/// told: the call will fail.
void tell_of_exec(program_pointer<const char> path) noexcept;

/// The last characters of a path: enough to tell files of /proc from others.
struct path_end {
  char text[12];      // with its null; all of a path that is shorter
};
/// Empty, if the path cannot be read.
path_end end_of(program_pointer<const char> path) noexcept;

/// True for the links to this process's program in /proc, by whatever names: they show the lower half's.
bool shows_own_program(long directory, const char* path) noexcept;
bool shows_own_program(long directory, program_pointer<const char> path, const path_end& end) noexcept;

inline constexpr long nothing_own = -4095;      // no error of the kernel's
/// Instead of a file of /proc that shows what is the lower half's: of the auxiliary vector, and, where the kernel is not told of
/// the program's, of arguments and environment; of this process, or another that mana has.
/// in:  opened  the file's descriptor
///      name    the end of the path by which it was opened
/// out: another descriptor; nothing_own: it is no such file. errors: as -errno
long open_own_text(long opened, const path_end& name, long flags) noexcept;

/// A thread has the table of descriptors of the one that made it.
void share_descriptors(const lower::thread_block& creator, const lower::thread_block& created) noexcept;

/// A descriptor of the lower half that stands for this process: its copies in children would keep what it holds after
/// the process has ended. One at most; negative: none.
void close_in_forked_children(int fd) noexcept;
/// In a forked child that has a table of descriptors of its own.
void close_what_stands_for_parent() noexcept;

}  // namespace mana::split
