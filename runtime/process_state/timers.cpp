#include <runtime/process_state/timers.hpp>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>

namespace mana::process_state {

namespace {

constexpr long nanoseconds = 1'000'000'000;
constexpr int restore_ids = 77, restore_ids_off = 0, restore_ids_on = 1;     // PR_TIMER_CREATE_RESTORE_IDS
constexpr int clock_kind_bits = 3;                                           // of clocks below 0: ~id << 3 | kind

bool is_armed(const itimerspec& time) noexcept { return time.it_value.tv_sec != 0 || time.it_value.tv_nsec != 0; }

bool is_periodic(const itimerspec& time) noexcept {
  return time.it_interval.tv_sec != 0 || time.it_interval.tv_nsec != 0;
}

int notify_of(const char* name, bool thread) noexcept {
  const int how = std::string_view(name) == "none" ? SIGEV_NONE : *name == 't' ? SIGEV_THREAD : SIGEV_SIGNAL;
  return how | (thread ? SIGEV_THREAD_ID : 0);
}

/// In the kernel's form: libc's timer_create would make a thread of its own for some timers.
long create(const posix_timer& timer, int clock, int tid, int& id) noexcept {
  sigevent event{};
  event.sigev_notify = timer.notify;
  event.sigev_signo = timer.signal;
  event.sigev_value.sival_ptr = reinterpret_cast<void*>(timer.value);
  if (timer.tid != 0) event._sigev_un._tid = tid;
  return syscall(SYS_timer_create, clock, &event, &id);
}

bool create_numbered(const posix_timer& timer, int clock, int tid) {
  int id = timer.id;
  if (prctl(restore_ids, restore_ids_on, 0, 0, 0) == 0) {
    const bool made = create(timer, clock, tid, id) == 0;
    prctl(restore_ids, restore_ids_off, 0, 0, 0);
    return made;
  }
  for (;;) {
    if (create(timer, clock, tid, id) != 0) return false;
    if (id == timer.id) return true;
    syscall(SYS_timer_delete, id);
    if (id > timer.id) return false;
  }
}

void start(const posix_timer& timer) noexcept {
  if (timer.overrun < 0) {
    if (is_armed(timer.time)) syscall(SYS_timer_settime, timer.id, 0, &timer.time, nullptr);
    return;
  }
  itimerspec time = timer.time;
  timespec now{};
  clock_gettime(timer.clock, &now);                     // if a clock cannot be read, the timer expires once, now
  time.it_value = first_expiry(timer, now);
  syscall(SYS_timer_settime, timer.id, TIMER_ABSTIME, &time, nullptr);
}

}  // namespace

std::vector<posix_timer> parse_timers(std::istream& list) {
  std::vector<posix_timer> all;
  for (std::string line; std::getline(list, line);) {
    int number = 0;
    unsigned long value = 0;
    char how[8] = "";
    if (std::sscanf(line.c_str(), "ID: %d", &number) == 1) all.emplace_back().id = number;
    if (all.empty()) continue;
    posix_timer& timer = all.back();
    if (std::sscanf(line.c_str(), "signal: %d/%lx", &number, &value) == 2) {
      timer.signal = number;
      timer.value = value;
    }
    if (std::sscanf(line.c_str(), "notify: %7[a-z]", how) == 1)
      timer.notify = notify_of(how, std::sscanf(line.c_str(), "notify: %*[a-z]/tid.%d", &timer.tid) == 1);
    if (std::sscanf(line.c_str(), "ClockID: %d", &number) == 1) timer.clock = number;
  }
  return all;
}

found_timers read_timers() {
  found_timers found;
  std::ifstream list("/proc/self/timers");
  if (!list) {
    itimerspec ignored;
    constexpr int first_ids = 64;                     // a program that has timers now has rarely had many
    for (int id = 0; id < first_ids && found.known; ++id)
      found.known = syscall(SYS_timer_gettime, id, &ignored) != 0;
    return found;
  }
  found.all = parse_timers(list);
  for (posix_timer& timer : found.all) syscall(SYS_timer_gettime, timer.id, &timer.time);
  return found;
}

std::vector<int> send_again(const signal_queue& taken) {
  std::vector<int> ids;
  const auto is_timers = [](const siginfo_t& info) { return info.si_code == SI_TIMER; };
  if (std::none_of(taken.begin(), taken.end(), is_timers)) return ids;
  for (posix_timer& timer : read_timers().all) {
    const auto info = std::find_if(taken.begin(), taken.end(), [&](const siginfo_t& i) {
      return is_timers(i) && i.si_timerid == timer.id && i.si_signo == timer.signal;
    });
    const bool set_anew = info != taken.end() && !is_periodic(timer.time) && is_armed(timer.time);
    if (info == taken.end() || set_anew) continue;
    timer.overrun = info->si_overrun;
    start(timer);
    ids.push_back(timer.id);
  }
  return ids;
}

/// When a program takes the signal of ITIMER_REAL, the kernel starts the timer again. Until then it has no time left.
interval_timers read_interval_timers() noexcept {
  interval_timers timers{};
  getitimer(ITIMER_REAL, &timers[0]);
  if (timers[0].it_value.tv_sec == 0 && timers[0].it_value.tv_usec == 0) timers[0].it_value = timers[0].it_interval;
  getitimer(ITIMER_VIRTUAL, &timers[1]);
  getitimer(ITIMER_PROF, &timers[2]);
  return timers;
}

void start_interval_timers(const interval_timers& timers) noexcept {
  constexpr __itimer_which kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  for (std::size_t i = 0; i < timers.size(); ++i) {
    if (timers[i].it_value.tv_sec == 0 && timers[i].it_value.tv_usec == 0) continue;
    const itimerval start = kinds[i] == ITIMER_REAL ? timers[i] : without_tick(timers[i], tick.tv_nsec / 1000);
    setitimer(kinds[i], &start, nullptr);
  }
}

itimerval without_tick(const itimerval& timer, long tick_us) noexcept {
  constexpr long second = 1'000'000;
  const long left = std::max(timer.it_value.tv_sec * second + timer.it_value.tv_usec - tick_us, 1L);
  return {timer.it_interval, {left / second, left % second}};
}

int moved_clock(int clock, const std::map<int, int>& tids) noexcept {
  if (clock >= 0) return clock;
  const int id = ~(clock >> clock_kind_bits), kind = clock & ((1 << clock_kind_bits) - 1);
  const auto now = tids.find(id);
  if (id == 0 || now == tids.end()) return clock;
  return static_cast<int>(~static_cast<unsigned>(now->second) << clock_kind_bits) | kind;
}

timespec first_expiry(const posix_timer& timer, const timespec& now) noexcept {
  const auto whole = [](const timespec& t) { return t.tv_sec * nanoseconds + t.tv_nsec; };
  const long here = whole(now), interval = whole(timer.time.it_interval);
  const long first = interval == 0 ? here : here + whole(timer.time.it_value) - interval * (timer.overrun + 1L);
  const long at = std::max(first, 1L);                // 0 would stop it
  return {at / nanoseconds, at % nanoseconds};
}

std::vector<std::string> make_timers(const std::vector<posix_timer>& timers, const std::map<int, int>& tids) {
  std::vector<posix_timer> sorted = timers;
  std::sort(sorted.begin(), sorted.end(), [](const posix_timer& a, const posix_timer& b) { return a.id < b.id; });
  std::vector<std::string> refused;
  for (posix_timer& timer : sorted) {
    const auto thread = tids.find(timer.tid);
    timer.clock = moved_clock(timer.clock, tids);
    if (create_numbered(timer, timer.clock, thread == tids.end() ? 0 : thread->second)) start(timer);
    else refused.push_back("timer " + std::to_string(timer.id));
  }
  return refused;
}

}  // namespace mana::process_state
