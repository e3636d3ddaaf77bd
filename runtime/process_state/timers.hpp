// Timers of setitimer and timer_create. Their time stands still from the checkpoint until a restarted program runs
// again.
//
// The kernel lists those of timer_create in /proc/self/timers, if it was built with CONFIG_CHECKPOINT_RESTORE, as in
// distributions. So these calls need no trap. A program has the timers' numbers in its memory, so a restart makes them
// with the same numbers: by prctl (Linux 6.15). On older kernels it makes and deletes timers until the number comes,
// since the kernel counts upwards.
#pragma once
#include <runtime/process_state/pending_signals.hpp>

#include <sys/time.h>
#include <time.h>

#include <array>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace mana::process_state {

struct posix_timer {
  int id = 0;
  int clock = 0;               // as for timer_create
  int notify = 0;              // SIGEV_*
  int signal = 0;
  std::uint64_t value = 0;     // sigev_value
  int tid = 0;                 // of SIGEV_THREAD_ID; 0: the process
  itimerspec time{};           // the time left, and the interval
  int overrun = -1;            // -1: not expired; from 0: further expirations while the signal is pending
};

using interval_timers = std::array<itimerval, 3>;     // ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF

/// The list in the kernel's form; `time` and `overrun` are not in it.
std::vector<posix_timer> parse_timers(std::istream& list);

/// With their times. `known` is false if the kernel does not list timers, and the process has some.
struct found_timers { std::vector<posix_timer> all; bool known = true; };
found_timers read_timers();

/// Lets timers send their signals again, with the same overrun, if those were taken from a queue. Signals queued in the
/// timers' names would be additional ones. Call only in the process that took the signals.
/// out: the timers' ids; signals of other senders are not included
std::vector<int> send_again(const signal_queue& taken);

interval_timers read_interval_timers() noexcept;
void start_interval_timers(const interval_timers& timers) noexcept;

/// The kernel adds a tick to the time of a timer of processor time, and the value that was read contains it.
itimerval without_tick(const itimerval& timer, long tick_us) noexcept;

/// in: tids  threads' ids, old to new; 0 → 0. A clock of a thread, or of the process, contains its id
int moved_clock(int clock, const std::map<int, int>& tids) noexcept;

/// The moment, on the timer's clock, at which the timer must have expired first to have the same overrun and phase now.
/// Then the kernel sends the signal, and continues the count.
timespec first_expiry(const posix_timer& timer, const timespec& now) noexcept;

/// Makes and starts the timers in a new process. out: timers that could not be made, as text
std::vector<std::string> make_timers(const std::vector<posix_timer>& timers, const std::map<int, int>& tids);

}  // namespace mana::process_state
