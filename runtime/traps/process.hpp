// What the upper half may read about itself in /proc, and what its children do not get.
#pragma once

namespace mana::split {

/// Whoever wants to know hears that this process is about to execute `path` without mana.
void tell_of_exec(const char* path) noexcept;
/// True for the links to this process's program in /proc, by whatever names: they show the lower half's.
/// in: path  that the kernel has read
bool shows_own_program(long directory, const char* path) noexcept;

inline constexpr long nothing_own = -4095;      // no error of the kernel's
/// Instead of a file of /proc that shows what is the lower half's: of the auxiliary vector, and, where the kernel is not told of
/// the program's, of arguments and environment; of this process, or another that mana has.
/// in:  opened  the file's descriptor
///      path    that the kernel has read
/// out: another descriptor; nothing_own: it is no such file. errors: as -errno
long open_own_text(long opened, const char* path, long flags) noexcept;

/// A descriptor of the lower half that stands for this process: its copies in children would keep what it holds after
/// the process has ended. One at most; negative: none.
void close_in_forked_children(int fd) noexcept;
/// In a forked child that has a table of descriptors of its own.
void close_what_stands_for_parent() noexcept;

}  // namespace mana::split
