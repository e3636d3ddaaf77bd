// Signal handlers of the live MPI and its network libraries. They print where a program crashed, or tell MPI that a
// peer has failed. They run on any thread that gets the signal. On the program's threads they need the lower half's
// thread pointer.
//
// INV-68 the kernel never calls a handler of the lower half's libraries with the upper half's thread pointer, and the
// program never has its address. Because: the stub's mana_lower_handler replaces it. The program finds this function as
// the old handler, and may call it. The lower half's sigaction() is ours (job/own/own_handlers.cpp). Handlers that are
// installed in another way are found when MPI has started.
#pragma once
#include <runtime/split/traps/signals/signals.hpp>

namespace mana::split {

/// Call it before the upper half begins, after MPI has started, and after memory was restored. Covers all signals.
void adopt_lower_handlers() noexcept;

/// For a program that is not linked with MPI. Natively it has neither these libraries nor their handlers before it
/// loads MPI, and many never load it. An interpreter may; SIGHUP must end the programs of a shell. The standard actions
/// apply until MPI starts.
void hide_lower_handlers() noexcept;
void show_lower_handlers() noexcept;

/// The lower half has set this signal's action. Does nothing before the first adopt_lower_handlers().
void adopt_lower_handler(int signal) noexcept;

/// The lower half's libraries may give the calling thread an alternate stack (UCX: the initial thread). Replaces it by
/// one of the same size in the window. The program finds one, as natively. Handlers' frames on it are saved, and name
/// no memory that a restart lacks. Call it when the thread is about to run the program, for the first time or again.
void bring_alternate_stack() noexcept;

/// Whether this is the function that replaces the lower half's handlers.
bool is_lower_handler(std::uint64_t handler) noexcept;

/// The lower half's action, with its own address, flags and mask.
kernel_sigaction lower_action(int signal) noexcept;

/// The same as the program sees it.
kernel_sigaction lower_action_as_seen(int signal) noexcept;

/// The kernel's action for a signal that the program leaves to the lower half, with these flags and this mask.
kernel_sigaction lower_action_installed(unsigned long flags, signal_set mask) noexcept;

/// Whether `pc` is in the code that calls these handlers: a native backtrace has no such frame.
bool calls_lower_handlers(std::uintptr_t pc) noexcept;

}  // namespace mana::split
