// Pipes, events, timers, signals, epoll sets; and what is lost.
#include "held_descriptors.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <csignal>

namespace descriptors_objects_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

TEST_CASE("a pipe within the program keeps what is in it") {
  held_descriptors held;
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int read_end = held.hold(ends[0]), write_end = held.hold(ends[1]);
  const int second = held.hold_duplicate(read_end);
  fcntl(read_end, F_SETFL, O_NONBLOCK);
  CHECK(write(write_end, "in the pipe", 11) == 11);
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  CHECK(read_some(read_end) == "in the pipe");  // capturing takes nothing out
  held.close_all();
  restore(image.bytes);
  CHECK(write(write_end, ", and more", 10) == 10);
  CHECK(read_some(second) == "in the pipe, and more");
  CHECK((fcntl(read_end, F_GETFL) & O_NONBLOCK) != 0);
  CHECK((fcntl(write_end, F_GETFL) & O_NONBLOCK) == 0);
  CHECK(read_some(read_end) == "error");  // EAGAIN: empty, and its writer lives
  close(write_end);
  CHECK(read_some(read_end).empty());  // nobody else holds the writing end
}

TEST_CASE("a pipe that was made larger is full again") {
  held_descriptors held;
  int ends[2];
  CHECK(pipe(ends) == 0);
  const int read_end = held.hold(ends[0]), write_end = held.hold(ends[1]);
  CHECK(fcntl(write_end, F_SETPIPE_SZ, 1 << 19) == 1 << 19);
  std::string much(300000, 'x');
  CHECK(write(write_end, much.data(), much.size()) == static_cast<ssize_t>(much.size()));
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  std::size_t n = 0;
  close(write_end);
  for (std::string part = read_some(read_end); !part.empty(); part = read_some(read_end)) n += part.size();
  CHECK(n == much.size());
}

TEST_CASE("both ends of a named pipe") {
  held_descriptors held;
  CHECK(mkfifo("fifo", 0600) == 0);
  const int writer = held.hold(open("fifo", O_RDWR));
  const int reader = held.hold(open("fifo", O_RDONLY | O_NONBLOCK));
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  CHECK(write(writer, "text", 4) == 4);
  CHECK(read_some(reader) == "text");
}

TEST_CASE("counters, timers and signals") {
  held_descriptors held;
  const int counter = held.hold(eventfd(7, EFD_NONBLOCK));
  const int timer = held.hold(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
  const int idle = held.hold(timerfd_create(CLOCK_REALTIME, 0));
  const itimerspec when{{5, 0}, {1000, 500}};
  CHECK(timerfd_settime(timer, 0, &when, nullptr) == 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const int signals = held.hold(signalfd(-1, &set, SFD_NONBLOCK));
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  std::uint64_t count = 0;
  CHECK(read(counter, &count, sizeof count) == sizeof count);
  CHECK(count == 7);
  itimerspec now{};
  CHECK(timerfd_gettime(timer, &now) == 0);
  CHECK(now.it_interval.tv_sec == 5);
  CHECK(now.it_value.tv_sec >= 900);
  CHECK(timerfd_gettime(idle, &now) == 0);
  CHECK(now.it_value.tv_sec == 0);
  raise(SIGUSR2);
  signalfd_siginfo row{};
  CHECK(read(signals, &row, sizeof row) == sizeof row);
  CHECK(row.ssi_signo == SIGUSR2);
}

TEST_CASE("an epoll set watches what it watched") {
  held_descriptors held;
  const int set = held.hold(epoll_create1(EPOLL_CLOEXEC));
  const int counter = held.hold(eventfd(0, 0));  // a higher number than the set's
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = 0x1234'5678'9abc;
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, counter, &event) == 0);
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  CHECK(epoll_wait(set, &event, 1, 0) == 0);
  CHECK(eventfd_write(counter, 1) == 0);
  CHECK(epoll_wait(set, &event, 1, 0) == 1);
  CHECK(std::uint64_t{event.data.u64} == 0x1234'5678'9abc);
  CHECK(epoll_wait(set, &event, 1, 0) == 0);
}

TEST_CASE("memory without a name") {
  held_descriptors held;
  const int fd = held.hold(memfd_create("scratch", 0));
  CHECK(write(fd, "memory", 6) == 6);
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  CHECK(offset_of(fd) == 6);
  CHECK(pwrite(fd, "M", 1, 0) == 1);
  lseek(fd, 0, SEEK_SET);
  CHECK(read_some(fd) == "Memory");
}

TEST_CASE("what cannot be saved is named, and found closed by its other side") {
  held_descriptors held;
  int ends[2], pair[2];
  CHECK((pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0));
  const int broken = held.hold(pair[0]);  // nor is this one's
  const int half = held.hold(ends[0]);    // the other end is no descriptor of the program
  const captured image = held.taken();
  close(ends[1]), close(pair[1]);
  REQUIRE(image.sockets.size() == 1);  // apart: a job may refuse to lose them
  CHECK(image.sockets[0].find("descriptor 40 (socket:") != std::string::npos);
  REQUIRE(image.warnings.size() == 1);
  CHECK(image.warnings[0].find("descriptor 41 (pipe:") != std::string::npos);
  held.close_all();
  restore(image.bytes);
  CHECK(read_some(broken) == "error");
  CHECK(read_some(half).empty());
}

}  // namespace descriptors_objects_tests
