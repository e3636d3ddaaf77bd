// Signals that tell the program to end, seen by a thread that takes none.
#include <runtime/process_state/end_watch.hpp>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace process_state_end_watch_tests {

using mana::process_state::end_watch;

namespace {

bool is_readable(const end_watch& watch) {
  pollfd wait{watch.fd(), POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

/// All signals are blocked; what waits at the end is taken.
class all_blocked {
 public:
  all_blocked() {
    sigfillset(&all_);
    sigprocmask(SIG_SETMASK, &all_, &before_);
  }
  ~all_blocked() {
    const timespec none{};
    while (sigtimedwait(&all_, nullptr, &none) > 0) {}
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t all_, before_;
};

}  // namespace

TEST_CASE("what comes is seen, and waits still") {
  const all_blocked hold;
  end_watch watch;
  watch.begin();
  CHECK(!is_readable(watch));
  kill(getpid(), SIGUSR1);
  CHECK(!is_readable(watch));
  kill(getpid(), SIGTERM);
  CHECK(is_readable(watch));
  CHECK(watch.told() == SIGTERM);
  CHECK(watch.told() == SIGTERM);
  watch.end();
  CHECK(!is_readable(watch));
  CHECK(watch.told() == 0);
}

TEST_CASE("what the program keeps waiting itself is no news; another signal is") {
  const all_blocked hold;
  kill(getpid(), SIGTERM);
  end_watch watch;
  watch.begin();
  CHECK(!is_readable(watch));
  kill(getpid(), SIGINT);
  CHECK(watch.told() == SIGINT);
}

TEST_CASE("what the program ignores tells nothing, though it waits where it is blocked") {
  const all_blocked hold;
  const auto before = signal(SIGHUP, SIG_IGN);
  end_watch watch;
  watch.begin();
  kill(getpid(), SIGHUP);
  CHECK(watch.told() == 0);
  CHECK(!is_readable(watch));
  kill(getpid(), SIGXCPU);
  CHECK(watch.told() == SIGXCPU);
  signal(SIGHUP, before);
}

}  // namespace process_state_end_watch_tests
