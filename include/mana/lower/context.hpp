// Saves and continues a thread's execution, as setjmp and longjmp do, but across processes. Also runs a call on another
// stack. The code is arch/x86_64/context.S, linked into the runtime and into the wrapper library.
#pragma once
#include <mana/lower/abi.hpp>

extern "C" {

/// Stores the registers that survive a call. Returns 0; returns 1 each time that mana_restore_context() continues here.
/// The caller's frame must still exist then. The thread pointer and the signal mask are not saved.
[[gnu::returns_twice]] int mana_save_context(mana::lower::context* where) noexcept;

/// Continues where `from` was saved, on its stack.
[[noreturn]] void mana_restore_context(const mana::lower::context* from) noexcept;

/// Calls run(argument) on another stack.
/// in: top  end of that stack, a multiple of 16
void mana_call_on_stack(void* top, void (*run)(void*), void* argument) noexcept;

}
