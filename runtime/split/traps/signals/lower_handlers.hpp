// Signal handlers of the live MPI and its network libraries. They print where a program crashed, or tell MPI that a
// peer has failed, and run on whatever thread has the signal: on the program's they need the lower half's thread
// pointer.
//
// INV-68 the kernel never calls a handler of the lower half's libraries with the upper half's thread pointer, and the
// program never has its address. Because: the stub's mana_lower_handler stands in its place, and is what the program
// finds, and may call, as the old handler. The lower half's sigaction() is ours (job/own/own_handlers.cpp); what is
// installed in another way is found when MPI has started.
#pragma once
#include <runtime/split/traps/signals/signals.hpp>

namespace mana::split {

/// The upper half is about to begin, MPI has started, or memory was restored: for all signals.
void adopt_lower_handlers() noexcept;

/// The program is not linked with MPI: natively it has neither these libraries nor their handlers before it loads MPI (an
/// interpreter), if it ever does (what a shell starts: SIGHUP ends it). Until MPI starts the standard actions are there.
void hide_lower_handlers() noexcept;
void show_lower_handlers() noexcept;

/// The lower half has set this signal's action. Without effect before the first adopt_lower_handlers().
void adopt_lower_handler(int signal) noexcept;

/// An alternate stack that the lower half's libraries gave the calling thread (UCX: the initial one) is exchanged for
/// one of that size in the window. The program finds one, as natively; handlers' frames that lie there are saved, and
/// name no memory that a restart does not have. Where the thread is about to run the program, or does again.
void bring_alternate_stack() noexcept;

/// True if this is what stands in the place of the lower half's handlers.
bool is_lower_handler(std::uint64_t handler) noexcept;

/// The lower half's action, by its own address, with its own flags and mask.
kernel_sigaction lower_action(int signal) noexcept;

/// The same as the program finds it.
kernel_sigaction lower_action_as_seen(int signal) noexcept;

/// The kernel's action for a signal that the program leaves to the lower half, with these flags and this mask.
kernel_sigaction lower_action_installed(unsigned long flags, signal_set mask) noexcept;

/// Whether `pc` lies in what calls these handlers: no frame of a native backtrace.
bool calls_lower_handlers(std::uintptr_t pc) noexcept;

}  // namespace mana::split
