// The upper half's view of itself in /proc, and the things that its children do not inherit.
#pragma once
#include <runtime/split/call/program_memory.hpp>

#include <mana/lower/abi.hpp>

namespace mana::split {

/// Tells the listener that this process is about to execute `path` without mana. An unreadable path is not reported:
/// the call will fail.
void tell_of_exec(program_pointer<const char> path) noexcept;

/// The last characters of a path, which tell files of /proc from others.
struct path_end {
  char text[12];      // with its null; a shorter path completely
};
/// Empty if the path is unreadable.
path_end end_of(program_pointer<const char> path) noexcept;

/// Whether the path is a link to this process's program in /proc, by any name: such links show the lower half's.
bool shows_own_program(long directory, const char* path) noexcept;
bool shows_own_program(long directory, program_pointer<const char> path, const path_end& end) noexcept;

inline constexpr long nothing_own = -4095;      // no error of the kernel's

/// Replaces a file of /proc that would show the lower half's data: the auxiliary vector and, if the kernel does not
/// know the program's, arguments and environment. The file may be of this process or of another one under mana.
/// in:  opened  the file's descriptor
///      name    the end of the path by which it was opened
/// out: another descriptor; nothing_own: it is no such file. errors: as -errno
long open_own_text(long opened, const path_end& name, long flags) noexcept;

/// A new thread uses the table of descriptors of its creator.
void share_descriptors(const lower::thread_block& creator, const lower::thread_block& created) noexcept;

/// Sets the descriptor of the lower half that stands for this process; there is at most one. Copies in children would
/// keep its object after the process has ended. Negative: none.
void close_in_forked_children(int fd) noexcept;
/// In a forked child with a table of descriptors of its own.
void close_what_stands_for_parent() noexcept;

}  // namespace mana::split
