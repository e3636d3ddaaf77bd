// The kernel's view of signal actions, and what is ours among the signals.
#pragma once
#include <runtime/split/call/trap.hpp>

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

inline constexpr int signal_count = 64;

/// SIGSYS, the park signal, and those that ask for a checkpoint.
signal_set our_signals() noexcept;

/// INV-14 signals of ours are never blocked: a trap under a blocked SIGSYS kills the process, and a thread that blocks the
/// park signal holds up every checkpoint.
inline signal_set without_ours(signal_set set) noexcept { return set & ~our_signals(); }

/// In this process, for the signals that ask for a checkpoint; their slots in the bridge too.
void install_request_handlers() noexcept;

/// What the program finds ignored: whoever started this process ignored it. Once, before the program starts.
void adopt_dispositions() noexcept;

/// After the live MPI's start, which may have put handlers of its own over ours and the program's: they would run on the
/// program's threads, and a thread that is parked in one returns into a lower half that a restart does not have. Signals
/// that neither the program nor we handle stay the live MPI's (lower_handlers.hpp).
void take_back_handlers() noexcept;

/// In a child of the program they are the program's again.
void give_back_request_signals() noexcept;

/// For the image that is written next: whose each signal's disposition is. All threads of the upper half are parked.
void note_dispositions() noexcept;

/// At a restart, after the live MPI's start: the dispositions as they were at the checkpoint, in this process.
void reinstall_dispositions() noexcept;

}  // namespace mana::split
