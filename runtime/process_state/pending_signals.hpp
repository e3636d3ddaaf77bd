// Signals that have come and wait, with what the kernel knows of each.
//
// The kernel shows which signals are pending, but not what came with them: only who takes one sees that. So they are taken
// and queued again, in their order, at the checkpoint already; and only where there are any. All threads hold back what
// the program handles meanwhile, so nothing is lost and nothing delivered in between.
#pragma once
#include <csignal>
#include <cstdint>
#include <span>
#include <string>
#include <ucontext.h>
#include <vector>

namespace mana::process_state {

using signal_queue = std::vector<siginfo_t>;

/// Of a thread of this process, and of the process. Bit n-1 for signal n; ours are left out.
struct pending_sets { std::uint64_t thread = 0, process = 0; };
pending_sets pending_of(int tid);

/// What waits for the calling thread; it waits again when this returns. On threads on which nothing is pending: one call.
signal_queue look_at_own_signals();

/// Both what waits for the calling thread and for the process.
struct all_pending { signal_queue thread, process; };
all_pending look_at_all_signals();

/// To the calling thread, and to its process. out: how many there was no room for
std::size_t queue_to_self(const signal_queue& signals);
std::size_t queue_to_process(const signal_queue& signals);

/// A timer has one signal pending however often it has expired; what was queued again is one more. Adds up their counts in
/// the first of each timer.
void join_timer_signals(signal_queue& signals);

/// Without those of timers that are made again, which send theirs themselves.
signal_queue without_timers(const signal_queue& signals, std::span<const int> timers);

/// Takes out those that would end the process at once: what was to be ended has ended, and would end each restart. A launcher
/// that dies, or a batch system, sends such signals while a checkpoint is taken.
/// in:  standard  signals that have their standard action;  held: that are blocked. Bit n-1 for signal n
/// out: what was taken out, in words, once each
std::vector<std::string> take_out_fatal(signal_queue& signals, std::uint64_t standard, std::uint64_t held);

/// What the process `before` sent to itself comes from `now`, as which it goes on.
void change_sender(signal_queue& signals, int before, int now) noexcept;

/// The same for signals whose handlers had not begun when the park signal came: the kernel delivers what is pending at once, the
/// park signal on top. libc's handler of cancellations believes its own process alone.
/// in:  context  that the park signal met
void change_sender_in_frames(ucontext_t* context, int before, int now) noexcept;

}  // namespace mana::process_state
