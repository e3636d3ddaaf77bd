// Timers of setitimer and timer_create. Their time stands still from the checkpoint until a restarted program runs on.
//
// The kernel lists those of timer_create in /proc/self/timers, where it is built with CONFIG_CHECKPOINT_RESTORE, as
// distributions' are: so calls need no trap. A program has their numbers in its memory: they are made again with the same,
// by prctl (Linux 6.15), else by making and deleting others until the number comes, as the kernel counts upwards.
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
  int clock = 0;               // as timer_create took it
  int notify = 0;              // SIGEV_*
  int signal = 0;
  std::uint64_t value = 0;     // sigev_value
  int tid = 0;                 // of SIGEV_THREAD_ID; 0: the process
  itimerspec time{};           // what is left, and the interval
  int overrun = -1;            // from 0: it has expired, its signal is pending, and so often more; -1: it has not
};

using interval_timers = std::array<itimerval, 3>;     // ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF

/// The list as the kernel prints it; `time` and `overrun` are not in it.
std::vector<posix_timer> parse_timers(std::istream& list);

/// With their times. errors: `known` is false if the kernel does not list them, and there are some
struct found_timers { std::vector<posix_timer> all; bool known = true; };
found_timers read_timers();

/// Timers whose signals were taken off a queue send them again, with the overrun that these had: what is sent in their
/// names would be one more beside their own. Only in the process in which they were taken.
/// out: their ids; what others have sent is not among them
std::vector<int> send_again(const signal_queue& taken);

interval_timers read_interval_timers() noexcept;
void start_interval_timers(const interval_timers& timers) noexcept;

/// The kernel adds a tick to the time of a timer of the processor's time: it was in what was read.
itimerval without_tick(const itimerval& timer, long tick_us) noexcept;

/// Threads' ids, old to new; 0 → 0. A clock of a thread, or of the process, names its id.
int moved_clock(int clock, const std::map<int, int>& tids) noexcept;

/// Moment on the timer's clock at which it would have expired first, so that it has the same overrun now and the same
/// phase: then the kernel sends the signal, and counts on.
timespec first_expiry(const posix_timer& timer, const timespec& now) noexcept;

/// Makes and starts them in a new process. out: what could not be, in words
std::vector<std::string> make_timers(const std::vector<posix_timer>& timers, const std::map<int, int>& tids);

}  // namespace mana::process_state
