// Saving and continuing a thread's execution: as setjmp and longjmp, but across processes; and another stack for a call.
// The code is arch/x86_64/context.S, linked into the runtime and into the wrapper library.
#pragma once
#include <mana/lower/abi.hpp>

extern "C" {

/// Stores the registers that survive a call. Returns 0, and 1 each time that mana_restore_context() continues here.
/// The caller's frame must still exist then. The thread pointer and the signal mask are not part of it.
[[gnu::returns_twice]] int mana_save_context(mana::lower::context* where) noexcept;

/// Continues where `from` was saved, on its stack.
[[noreturn]] void mana_restore_context(const mana::lower::context* from) noexcept;

/// Calls run(argument) on another stack.      in: top: its end, a multiple of 16
void mana_call_on_stack(void* top, void (*run)(void*), void* argument) noexcept;

}
