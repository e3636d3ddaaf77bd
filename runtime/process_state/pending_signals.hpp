// Pending signals, with the kernel's information on each.
//
// The kernel shows which signals are pending. The information on a signal goes only to the thread that takes it. So if
// signals are pending, the checkpoint takes them and queues them again, in their order. Meanwhile all threads block the
// signals that the program handles, so that none is lost or delivered in between.
#pragma once
#include <csignal>
#include <cstdint>
#include <span>
#include <string>
#include <ucontext.h>
#include <vector>

namespace mana::process_state {

using signal_queue = std::vector<siginfo_t>;

/// Of a thread of this process, and of the process. Bit n-1 for signal n; without mana's own signals.
struct pending_sets { std::uint64_t thread = 0, process = 0; };
pending_sets pending_of(int tid);

/// The signals that are pending for the calling thread; they are pending again on return. Costs one call if no signal
/// is pending.
signal_queue look_at_own_signals();

/// The signals that are pending for the calling thread, and for the process.
struct all_pending { signal_queue thread, process; };
all_pending look_at_all_signals();

/// Queues to the calling thread, and to its process. out: number of signals without room
std::size_t queue_to_self(const signal_queue& signals);
std::size_t queue_to_process(const signal_queue& signals);

/// A timer has one pending signal, however often it has expired. A signal that was queued again is a second one. Adds
/// the counts of each timer up in its first signal.
void join_timer_signals(signal_queue& signals);

/// Without signals of timers that are made again, which send their own.
signal_queue without_timers(const signal_queue& signals, std::span<const int> timers);

/// Removes signals that would end the process at once: they have ended the old job, and would end each restart. A dying
/// launcher, or a batch system, sends such signals while a checkpoint is taken.
/// in:  standard  signals with their standard action;  held: blocked signals. Bit n-1 for signal n
/// out: the removed signals, as text, once each
std::vector<std::string> take_out_fatal(signal_queue& signals, std::uint64_t standard, std::uint64_t held);

/// Signals that the process `before` sent to itself come from `now`, which continues it.
void change_sender(signal_queue& signals, int before, int now) noexcept;

/// The same for signals whose handlers had not begun when the park signal came. The kernel delivers all pending signals
/// at once, with the park signal on top. libc's handler of cancellations accepts only its own process as the sender.
/// in:  context  of the thread that the park signal interrupted
void change_sender_in_frames(ucontext_t* context, int before, int now) noexcept;

}  // namespace mana::process_state
