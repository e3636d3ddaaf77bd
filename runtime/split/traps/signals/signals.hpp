// The signals that are mana's, and the program's view of its actions.
#pragma once
#include <runtime/split/traps/signals/action.hpp>

#include <csignal>

namespace mana::split {

inline constexpr int signal_count = 64;

/// SIGSYS, the park signal, and the signals that request a checkpoint.
signal_set our_signals() noexcept;

/// INV-14 signals of ours are never blocked: a trap with SIGSYS blocked kills the process, and a thread that blocks the
/// park signal delays every checkpoint.
inline signal_set without_ours(signal_set set) noexcept { return set & ~our_signals(); }

/// Installs handlers in this process for the signals that request a checkpoint, and sets their slots in the bridge.
void install_request_handlers() noexcept;

/// Shows the program the signals that this process's parent ignored. Call it once, before the program starts.
void adopt_dispositions() noexcept;

/// Call it after the live MPI's start, which may have replaced our handlers and the program's. Its handlers would run
/// on the program's threads, and a thread that is parked in one returns into a lower half that a restart does not have.
/// Signals that neither the program nor mana handles stay the live MPI's (lower_handlers.hpp).
void take_back_handlers() noexcept;

/// In a child of the program, these signals are the program's again.
void give_back_request_signals() noexcept;

/// For the next image: records who owns each signal's disposition. All threads of the upper half must be parked.
void note_dispositions() noexcept;

/// At a restart, after the live MPI's start: sets the dispositions of the checkpoint in this process.
void reinstall_dispositions() noexcept;

}  // namespace mana::split
