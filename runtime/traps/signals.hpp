// The kernel's view of signal actions, and what is ours among the signals.
#pragma once
#include "trap.hpp"

#include <mana/lower/signals.hpp>

#include <csignal>

namespace mana::split {

/// As rt_sigaction(2) takes it on x86-64.
struct kernel_sigaction {
  std::uint64_t handler;
  unsigned long flags;
  std::uint64_t restorer;
  signal_set mask;
};

/// INV-14 SIGSYS and the park signal are never blocked: a trap under a blocked SIGSYS kills the process, and a thread that
/// blocks the park signal holds up every checkpoint.
constexpr signal_set without_ours(signal_set set) noexcept {
  return set & ~(one_signal(SIGSYS) | one_signal(lower::park_signal));
}

/// At a restart: the dispositions that the bridge records, in this process.
void reinstall_dispositions() noexcept;

}  // namespace mana::split
