// What every handler of the stub's, and what every handler of the program's, begins with. Freestanding, as signals.cpp.
//
// INV-91 no access of mana's is checked for alignment, whatever the flags of the program's that a signal or a trapped call meets.
#pragma once
#include <arch/enter.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <csignal>

namespace {

using mana::arch::check_no_alignment;      // INV-91

/// INV-90: a signal that the program, or the one of whom this is a child, has sent itself. After tell_of_end().
void tell_sender(siginfo_t* info) noexcept {
  if (info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE)
    info->si_pid = mana::split::told_process_now(info->si_pid);
}

}  // namespace
