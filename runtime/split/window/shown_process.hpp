// What the kernel shows of this process is the program's: in /proc/PID/cmdline, environ and stat, and by the names [stack]
// and [vdso] in its list of mappings. So none of these needs a trap, and children and tools see it too. The auxiliary vector
// stays the lower half's in the kernel, as debuggers find by it what the first dynamic linker has loaded: the program has its
// own by traps.
//
// INV-73 what the program is told of itself by /proc and prctl, other than by raw calls about the link exe, is what it was told
// when it began, or has set since, also after a restart.
#pragma once
#include <runtime/split/window/saved_state.hpp>

#include <linux/prctl.h>

#include <span>

namespace mana::split {

/// The kernel's vDSO gives way to a copy of its code, so that it can be moved: the lower half goes on by the copy. While the
/// process has one thread; otherwise, and where the kernel moves none, all stays as it is.
void set_vdso_aside() noexcept;

/// Makes the kernel's mapping the stub's: the stub is what it calls [vdso]. After set_vdso_aside(); the stub must be there.
void show_stub_as_vdso() noexcept;

/// Tells the kernel of a new program's places, and remembers all in saved_state.
/// in: auxiliary  pairs of type and value, with the last one
void show_program(const program_places& places, std::span<const std::uint64_t> auxiliary) noexcept;

/// The kernel's break stays the lower half's, because its libc extends it.
void set_lower_break(prctl_mm_map& all) noexcept;

/// Tells the kernel again what saved_state says.
void show_program_again() noexcept;

/// Writes down for the image what the kernel shows now: the program may have changed it.
void note_shown() noexcept;

/// False: it would not take it.
bool kernel_shows_program() noexcept;

}  // namespace mana::split
