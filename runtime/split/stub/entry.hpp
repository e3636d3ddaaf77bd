// The common beginning of the stub's handlers and of the program's. Freestanding, as signals.cpp.
//
// INV-91 no access of mana's is checked for alignment, whatever flags of the program a signal or a trapped call finds.
#pragma once
#include <arch/enter.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <csignal>

namespace {

using mana::arch::check_no_alignment;      // INV-91

/// INV-90: for a signal that the program, or the program whose child this is, has sent to itself. Call it after
/// tell_of_end().
void tell_sender(siginfo_t* info) noexcept {
  if (info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE)
    info->si_pid = mana::split::told_process_now(info->si_pid);
}

}  // namespace
