// The kernel shows the program's data for this process: in /proc/PID/cmdline, environ and stat, and by the names
// [stack] and [vdso] in its list of mappings. Thus none of these needs a trap, and children and tools see them too. The
// kernel keeps the lower half's auxiliary vector, by which debuggers find the files that the first dynamic linker has
// loaded. Traps give the program its own.
//
// INV-73 /proc and prctl show the program the same facts about itself as at its start, with its own changes, also after
// a restart. Raw calls about the link exe are an exception.
#pragma once
#include <runtime/split/window/saved_state.hpp>

#include <linux/prctl.h>

#include <span>

namespace mana::split {

/// Replaces the kernel's vDSO by a copy of its code, which the lower half then uses, so that the vDSO can be moved.
/// Needs a process with one thread. Otherwise, or if the kernel cannot move a vDSO, changes nothing.
void set_vdso_aside() noexcept;

/// Makes the kernel's mapping the stub's, so that the kernel calls the stub [vdso]. Call it after set_vdso_aside(). The
/// stub must be mapped.
void show_stub_as_vdso() noexcept;

/// Tells the kernel the places of a new program, and stores all in saved_state.
/// in: auxiliary  pairs of type and value, with the last one
void show_program(const program_places& places, std::span<const std::uint64_t> auxiliary) noexcept;

/// The kernel's break stays the lower half's, because its libc extends it.
void set_lower_break(prctl_mm_map& all) noexcept;

/// Tells the kernel the contents of saved_state again.
void show_program_again() noexcept;

/// Records the kernel's present view for the image: the program may have changed it.
void note_shown() noexcept;

/// False: the kernel has refused it.
bool kernel_shows_program() noexcept;

}  // namespace mana::split
