// Message queues of which the program is to be told, asked for again.
#include <doctest/doctest.h>

#include <runtime/files/own_table.hpp>
#include <runtime/process_state/kept_notices.hpp>
#include <runtime/split/traps/descriptors/queue_notices.hpp>

#include <fcntl.h>
#include <mqueue.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace process_state_notices_tests {

using namespace mana::process_state;
namespace split = mana::split;

namespace {

/// Without a name.
class queue {
 public:
  queue() {
    const std::string name = "/mana-notices-" + std::to_string(getpid());
    mq_attr room{};
    room.mq_maxmsg = 4;
    room.mq_msgsize = 8;
    fd_ = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, &room);
    mq_unlink(name.c_str());
  }
  ~queue() { mq_close(fd_); }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  int fd() const noexcept { return fd_; }
  bool is_there() const noexcept { return fd_ >= 0; }      // else this kernel has none
  void send() const { REQUIRE(mq_send(fd_, "x", 1, 0) == 0); }
  bool ask(int kind, int signal, int value) const {
    sigevent event{};
    event.sigev_notify = kind;
    event.sigev_signo = signal;
    event.sigev_value.sival_int = value;
    return mq_notify(fd_, &event) == 0;
  }

 private:
  int fd_ = -1;
};

/// Holds a signal back, and takes it.
class held_signal {
 public:
  explicit held_signal(int number) {
    sigemptyset(&set_);
    sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, nullptr);
  }
  ~held_signal() { sigprocmask(SIG_UNBLOCK, &set_, nullptr); }
  held_signal(const held_signal&) = delete;
  held_signal& operator=(const held_signal&) = delete;

  siginfo_t take() const {
    siginfo_t info{};
    const timespec at_once{};
    sigtimedwait(&set_, &info, &at_once);
    return info;
  }

 private:
  sigset_t set_;
};

}  // namespace

TEST_CASE("what was asked for is known as long as the kernel has it") {
  const queue q;
  if (!q.is_there()) return;
  REQUIRE(q.ask(SIGEV_NONE, 0, 5));
  CHECK(read_notices().empty());                     // no trap has told of it
  split::note_queue_notice({q.fd(), SIGEV_SIGNAL, SIGUSR1, 5});
  CHECK(read_notices().empty());                     // it was asked for otherwise since
  split::note_queue_notice({q.fd(), SIGEV_NONE, 0, 5});
  const auto all = read_notices();
  REQUIRE(all.size() == 1);
  CHECK((all[0].fd == q.fd() && all[0].kind == SIGEV_NONE && all[0].value == 5 && all[0].messages == 0));
  q.send();                                          // it is told
  CHECK(read_notices().empty());
}

TEST_CASE("a notice that is asked for again") {
  const queue q;
  if (!q.is_there()) return;
  const held_signal held(SIGUSR1);
  const kept_notice one{q.fd(), SIGEV_SIGNAL, SIGUSR1, 77, 0};
  CHECK(ask_again({&one, 1}).empty());
  CHECK(read_notices().size() == 1);
  CHECK(held.take().si_signo == 0);
  q.send();
  const siginfo_t info = held.take();
  CHECK((info.si_code == SI_MESGQ && info.si_value.sival_int == 77));
  REQUIRE(q.ask(SIGEV_NONE, 0, 0));
  CHECK(ask_again({&one, 1}).size() == 1);           // somebody else has
}

TEST_CASE("a message that came while nobody could be told") {
  const queue q;
  if (!q.is_there()) return;
  const held_signal held(SIGUSR1);
  q.send();
  const kept_notice was_empty{q.fd(), SIGEV_SIGNAL, SIGUSR1, 78, 0}, had_one{q.fd(), SIGEV_SIGNAL, SIGUSR1, 79, 1};
  CHECK(ask_again({&was_empty, 1}).empty());
  const siginfo_t info = held.take();
  CHECK((info.si_signo == SIGUSR1 && info.si_code == SI_MESGQ && info.si_value.sival_int == 78));
  CHECK_FALSE(split::is_to_be_told(q.fd()));
  CHECK(ask_again({&had_one, 1}).empty());           // natively it would not be told of that one
  CHECK(held.take().si_signo == 0);
  CHECK(split::is_to_be_told(q.fd()));
}

TEST_CASE("a thread of mana's with a table of its own does not end it") {
  const queue q;
  if (!q.is_there()) return;
  keep_notices_of_tables();
  REQUIRE(q.ask(SIGEV_SIGNAL, SIGUSR2, 7));
  split::note_queue_notice({q.fd(), SIGEV_SIGNAL, SIGUSR2, 7});
  mana::files::in_own_table([] {});
  CHECK(split::is_to_be_told(q.fd()));
  mana::files::loss_of_tables = nullptr;
  mana::files::in_own_table([] {});
  CHECK(!split::is_to_be_told(q.fd()));      // else nobody would have to ask again
}

}  // namespace process_state_notices_tests
