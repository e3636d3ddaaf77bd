// The stack on which a checkpoint runs. The thread that runs the checkpoint may be in a signal handler, on an alternate
// stack of a few pages. The live MPI needs several times as much to drain messages, and to build objects again at a
// restart.
#pragma once
#include <mana/arch/arch.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/context.hpp>
#include <mana/lower/signals.hpp>

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace mana::call {

/// Hooks run on this stack too, so it is as large as a program's initial stack usually is. Untouched pages cost
/// nothing.
inline constexpr std::size_t own_stack_bytes = std::size_t{8} << 20;
inline constexpr std::size_t guard_bytes = 4096;

/// The stack's end; null before make_own_stack(). It lies in the upper half's memory, so an image has it.
inline void*& own_stack_top() noexcept {
  static void* top = nullptr;
  return top;
}

/// Makes the stack once in a program, even if a failed MPI_Init is tried again. out: false if there is no memory for it
inline bool make_own_stack() noexcept {
  if (own_stack_top() != nullptr) return true;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* const begin = mmap(nullptr, own_stack_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (begin == MAP_FAILED) return false;
  if (mprotect(begin, guard_bytes, PROT_NONE) != 0) return false;
  own_stack_top() = static_cast<std::byte*>(begin) + own_stack_bytes;
  return true;
}

/// Saves the state that only the kernel has of a thread that is about to be saved.
inline void note_kernel_state(lower::thread_block& self) noexcept {
  arch::raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&self.signal_mask), sizeof self.signal_mask);
  stack_t stack{};
  arch::raw_call(SYS_sigaltstack, 0, reinterpret_cast<long>(&stack));
  const bool none = (stack.ss_flags & SS_DISABLE) != 0;
  self.alternate_stack = {none ? 0 : reinterpret_cast<std::uint64_t>(stack.ss_sp), none ? 0 : stack.ss_size,
                          static_cast<std::uint32_t>(stack.ss_flags & ~SS_ONSTACK)};
}

namespace detail {

inline std::uint64_t set_mask(std::uint64_t mask) noexcept {
  std::uint64_t before = 0;
  arch::raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&before),
              sizeof mask);
  return before;
}

struct call {
  void (*run)(lower::thread_block&) noexcept;
  lower::thread_block* self;
  std::uint64_t mask;          // of the thread
};

/// A handler that asks for the alternate stack would start at its top again, over the frames that lie there. The kernel
/// decides by the stack pointer alone whether that stack is in use. So the thread has no alternate stack while it is
/// here.
inline void run_here(void* argument) {
  call& c = *static_cast<call*>(argument);
  stack_t none{}, own{};
  none.ss_flags = SS_DISABLE;
  arch::raw_call(SYS_sigaltstack, reinterpret_cast<long>(&none), reinterpret_cast<long>(&own));
  set_mask(c.mask);
  c.run(*c.self);
  c.mask = set_mask(~std::uint64_t{0});
  own.ss_flags &= ~SS_ONSTACK;
  arch::raw_call(SYS_sigaltstack, reinterpret_cast<long>(&own), 0);
}

}  // namespace detail

/// Bit n-1: the program has a handler for signal n, or libc may install one at any moment (cancel_signal).
inline std::uint64_t handled_signals() noexcept {
  std::uint64_t handled = lower::cancel_signal;
  for (int signal = 1; signal <= 64; ++signal)
    if (lower::the_bridge().signal_handlers[signal] > 1) handled |= std::uint64_t{1} << (signal - 1);
  return handled;
}

/// Blocks the signals that the program handles: a handler that ran while its thread is saved would be in the image half
/// done. A signal that comes meanwhile stays pending, and the image has it.
/// out: the mask before
inline std::uint64_t hold_signals() noexcept {
  const std::uint64_t handled = handled_signals();
  std::uint64_t before = 0;
  arch::raw_call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&handled), reinterpret_cast<long>(&before),
              sizeof handled);
  return before;
}

/// INV-66: In the park signal's handler the kernel blocks all signals. Unhandled signals are let through again if the
/// interrupted code does not block them, and end the process as natively. Signals that the program handles wait, and so
/// do ours.
/// in: context  of that handler      out: the mask before
inline std::uint64_t let_unhandled_through(const void* context) noexcept {
  const auto* const mask = reinterpret_cast<const std::uint64_t*>(&static_cast<const ucontext_t*>(context)->uc_sigmask);
  return detail::set_mask(*mask | handled_signals() | lower::the_bridge().our_signals);
}

/// Runs `run` on the checkpoint's stack, as well as the program's handlers that are called meanwhile. Signals are
/// blocked while the stack pointer and the kernel's alternate stack disagree.
inline void on_own_stack(void (*run)(lower::thread_block&) noexcept, lower::thread_block& self) noexcept {
  detail::call c{run, &self, detail::set_mask(~std::uint64_t{0})};
  mana_call_on_stack(own_stack_top(), detail::run_here, &c);
  detail::set_mask(c.mask);
}

}  // namespace mana::call
