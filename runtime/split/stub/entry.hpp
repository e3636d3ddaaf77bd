// What every handler of the stub's, and what every handler of the program's, begins with. Freestanding, as signals.cpp.
//
// INV-91 no access of mana's is checked for alignment, whatever the flags of the program's that a signal or a trapped call meets.
#pragma once
#include <runtime/split/window/saved_state.hpp>

#include <csignal>

namespace {

/// INV-91: the kernel clears the flag AC for no handler; it comes back with the frame. Below the stack's pointer may be what the
/// compiler keeps there.
inline __attribute__((always_inline)) void check_no_alignment() noexcept {
  __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x40000, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), %%rsp"
                   : : : "cc", "memory");
}

/// INV-90: a signal that the program, or the one of whom this is a child, has sent itself. After tell_of_end().
void tell_sender(siginfo_t* info) noexcept {
  if (info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE)
    info->si_pid = mana::split::told_process_now(info->si_pid);
}

}  // namespace
