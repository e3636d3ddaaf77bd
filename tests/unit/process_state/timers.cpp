// Timers as the kernel lists them, and when they go on; signals that were pending.
#include <doctest/doctest.h>

#include <runtime/process_state/pending_signals.hpp>
#include <runtime/process_state/timers.hpp>
#include <runtime/split/window/raw.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <sstream>

namespace process_state_timers_tests {

using namespace mana::process_state;

namespace {

siginfo_t of(int signal, int code, int id, int overrun = 0) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  if (code == SI_TIMER) {
    info.si_timerid = id;
    info.si_overrun = overrun;
  } else {
    info.si_pid = id;
  }
  return info;
}

void set_signals(int how, std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  pthread_sigmask(how, &set, nullptr);
}

constexpr long second = 1'000'000'000;

}  // namespace

TEST_CASE("the kernel's list of timers") {
  std::istringstream list("ID: 3\nsignal: 40/00007ffe12345678\nnotify: signal/pid.4711\nClockID: 1\n"
                          "ID: 7\nsignal: 32/0\nnotify: signal/tid.4712\nClockID: -6\n"
                          "ID: 8\nsignal: 0/1\nnotify: none/pid.4711\nClockID: 0\n");
  const auto all = parse_timers(list);
  REQUIRE(all.size() == 3);
  CHECK(all[0].id == 3);
  CHECK(all[0].signal == 40);
  CHECK(all[0].value == 0x7ffe12345678);
  CHECK(all[0].notify == SIGEV_SIGNAL);
  CHECK(all[0].tid == 0);
  CHECK(all[0].clock == 1);
  CHECK(all[1].notify == (SIGEV_SIGNAL | SIGEV_THREAD_ID));
  CHECK(all[1].tid == 4712);
  CHECK(all[1].clock == -6);
  CHECK(all[2].notify == SIGEV_NONE);
  std::istringstream nothing("");
  CHECK(parse_timers(nothing).empty());
}

TEST_CASE("clocks that name a thread or a process") {
  const auto clock_of = [](int id, int kind) { return static_cast<int>(~static_cast<unsigned>(id) << 3) | kind; };
  const std::map<int, int> ids{{100, 7}, {4194303, 4194302}};
  CHECK(moved_clock(CLOCK_MONOTONIC, ids) == CLOCK_MONOTONIC);
  CHECK(moved_clock(clock_of(0, 2), ids) == clock_of(0, 2));
  CHECK(moved_clock(clock_of(100, 6), ids) == clock_of(7, 6));
  CHECK(moved_clock(clock_of(4194303, 2), ids) == clock_of(4194302, 2));
  CHECK(moved_clock(clock_of(55, 6), ids) == clock_of(55, 6));
}

TEST_CASE("a timer that had expired goes on with its overrun and its phase") {
  posix_timer timer;
  timer.time = {{0, 10'000'000}, {0, 4'000'000}};
  timer.overrun = 3;
  const auto when = [&](timespec now) {
    const timespec t = first_expiry(timer, now);
    return t.tv_sec * second + t.tv_nsec;
  };
  CHECK(when({5, 0}) == 5 * second + 4'000'000 - 4 * 10'000'000L);
  CHECK(when({0, 1000}) == 1);                            // a clock that has just begun
  timer.time.it_interval = {0, 0};
  CHECK(when({5, 1}) == 5 * second + 1);                  // once: now
}

TEST_CASE("the tick that the kernel adds") {
  const itimerval t = without_tick({{0, 20'000}, {2, 3'000}}, 4'000);
  CHECK(t.it_value.tv_sec == 1);
  CHECK(t.it_value.tv_usec == 999'000);
  CHECK(t.it_interval.tv_usec == 20'000);
  CHECK(without_tick({{0, 0}, {0, 1'000}}, 4'000).it_value.tv_usec == 1);      // 0 would stop it
}

TEST_CASE("a timer has one signal, with all its overruns") {
  signal_queue all{of(40, SI_TIMER, 1, 5), of(41, SI_TIMER, 2), of(40, SI_QUEUE, 9), of(40, SI_TIMER, 1, 2),
                   of(40, SI_QUEUE, 9)};
  join_timer_signals(all);
  REQUIRE(all.size() == 4);
  CHECK(all[0].si_overrun == 8);
  CHECK(all[1].si_signo == 41);
  const int made_again[] = {1};
  const signal_queue left = without_timers(all, made_again);
  REQUIRE(left.size() == 3);
  CHECK(left[0].si_timerid == 2);
}

TEST_CASE("what a process sent to itself comes from the one that goes on") {
  signal_queue all{of(10, SI_USER, 100), of(10, SI_USER, 1), of(40, SI_TIMER, 100), of(17, CLD_EXITED, 100)};
  change_sender(all, 100, 200);
  CHECK(all[0].si_pid == 200);
  CHECK(all[1].si_pid == 1);
  CHECK(all[2].si_timerid == 100);
  CHECK(all[3].si_pid == 100);
}

TEST_CASE("signals that were looked at are pending as before") {
  const int first = SIGRTMIN + 1, second_one = SIGRTMIN + 2;
  set_signals(SIG_BLOCK, {first, second_one, SIGUSR1});
  for (int i = 0; i < 3; ++i) sigqueue(getpid(), first, {.sival_int = i});
  pthread_sigqueue(pthread_self(), first, {.sival_int = 7});
  kill(getpid(), SIGUSR1);
  raise(second_one);
  const all_pending seen = look_at_all_signals();
  CHECK(seen.thread.size() == 2);
  CHECK(seen.process.size() == 4);
  const pending_sets now = pending_of(gettid());
  CHECK(now.thread == (mana::split::one_signal(first) | mana::split::one_signal(second_one)));
  CHECK(now.process == (mana::split::one_signal(first) | mana::split::one_signal(SIGUSR1)));
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, first);
  const timespec none{0, 0};
  siginfo_t info{};
  for (const int expected : {7, 0, 1, 2}) {
    REQUIRE(sigtimedwait(&one, &info, &none) == first);
    CHECK(info.si_value.sival_int == expected);
    CHECK(info.si_code == SI_QUEUE);
  }
  sigaddset(&one, second_one);
  sigaddset(&one, SIGUSR1);
  while (sigtimedwait(&one, &info, &none) > 0) {}
  set_signals(SIG_UNBLOCK, {first, second_one, SIGUSR1});
}

TEST_CASE("timers are made with their numbers") {
  set_signals(SIG_BLOCK, {SIGRTMIN + 1});
  posix_timer once, often;
  once.id = 40;
  once.clock = often.clock = CLOCK_MONOTONIC;
  once.signal = often.signal = SIGRTMIN + 1;
  once.time.it_value = {1000, 0};
  often.id = 37;
  often.value = 99;
  often.time = {{1, 0}, {0, 500'000'000}};
  often.overrun = 2;
  CHECK(make_timers({once, often}, {}).empty());
  const found_timers found = read_timers();
  if (found.known && !found.all.empty()) {
    REQUIRE(found.all.size() == 2);
    CHECK(found.all[0].id + found.all[1].id == 77);
  }
  itimerspec left{};
  CHECK(syscall(SYS_timer_gettime, 40, &left) == 0);
  CHECK(left.it_value.tv_sec > 900);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGRTMIN + 1);
  siginfo_t info{};
  const timespec patience{2, 0};
  REQUIRE(sigtimedwait(&one, &info, &patience) == SIGRTMIN + 1);
  CHECK(info.si_timerid == 37);
  CHECK(info.si_value.sival_int == 99);
  CHECK(info.si_overrun == 2);
  CHECK(make_timers({once}, {}) == std::vector<std::string>{"timer 40"});     // it is taken
  syscall(SYS_timer_delete, 37);
  syscall(SYS_timer_delete, 40);
  set_signals(SIG_UNBLOCK, {SIGRTMIN + 1});
}

TEST_CASE("an interval timer whose signal waits has no time left, and goes on nevertheless") {
  set_signals(SIG_BLOCK, {SIGALRM});
  const itimerval each{{0, 1000}, {0, 1000}}, none{};
  setitimer(ITIMER_REAL, &each, nullptr);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  for (sigset_t waiting{}; sigismember(&waiting, SIGALRM) == 0;) sigpending(&waiting);
  itimerval now{};
  getitimer(ITIMER_REAL, &now);
  CHECK(now.it_value.tv_usec == 0);                    // what the kernel says
  const interval_timers saved = read_interval_timers();
  setitimer(ITIMER_REAL, &none, nullptr);
  const timespec at_once{};
  CHECK(sigtimedwait(&alarm, nullptr, &at_once) == SIGALRM);
  start_interval_timers(saved);
  const timespec long_enough{10, 0};
  CHECK(sigtimedwait(&alarm, nullptr, &long_enough) == SIGALRM);
  setitimer(ITIMER_REAL, &none, nullptr);
  sigtimedwait(&alarm, nullptr, &at_once);
  set_signals(SIG_UNBLOCK, {SIGALRM});
}

TEST_CASE("what would end the program again at once is not given back") {
  const auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  signal_queue signals{of(SIGHUP, SI_KERNEL, 0), of(SIGUSR1, SI_USER, 5), of(SIGCHLD, SI_USER, 5), of(SIGHUP, SI_USER, 6),
                       of(SIGTERM, SI_USER, 6)};
  const auto taken = take_out_fatal(signals, bit(SIGHUP) | bit(SIGCHLD) | bit(SIGTERM), bit(SIGTERM));
  CHECK(taken == std::vector<std::string>{"a signal that was ending the program (Hangup)"});
  REQUIRE(signals.size() == 3);
  CHECK(signals[0].si_signo == SIGUSR1);      // is handled
  CHECK(signals[1].si_signo == SIGCHLD);      // ends nothing
  CHECK(signals[2].si_signo == SIGTERM);      // is waited for by sigwait
}

}  // namespace process_state_timers_tests
