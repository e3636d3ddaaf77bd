// INV-31: whatever a lower half makes, and whenever, its number is high.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <runtime/descriptors/base/low_descriptor_guard.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

using mana::descriptors::first_lower_descriptor;

namespace {

bool closes_on_exec(int fd) { return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0; }

/// Whether it is open at a high number; closes it.
bool high(int fd) {
  const bool is = fd >= first_lower_descriptor() && fcntl(fd, F_GETFD) >= 0;
  close(fd);
  return is;
}

int lowest_free() {
  const int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);
  close(fd);
  return fd;
}

}  // namespace

TEST_CASE("what is opened or made") {
  const int free = lowest_free();
  sigset_t none;
  sigemptyset(&none);
  char name[] = "/tmp/own_descriptors-XXXXXX";
  CHECK(high(open("/dev/null", O_RDWR)));
  CHECK(high(open64("/dev/null", O_RDWR)));
  CHECK(high(openat(AT_FDCWD, "/dev/null", O_RDWR)));
  CHECK(high(openat64(AT_FDCWD, "/dev/null", O_RDWR)));
  CHECK(high(mkstemp(name)));
  CHECK(unlink(name) == 0);
  const std::string shared = "/own_descriptors-" + std::to_string(getpid());
  CHECK(high(shm_open(shared.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600)));
  CHECK(shm_unlink(shared.c_str()) == 0);
  CHECK(high(memfd_create("own_descriptors", 0)));
  CHECK(high(socket(AF_INET, SOCK_STREAM, 0)));
  CHECK(high(epoll_create(1)));
  CHECK(high(epoll_create1(0)));
  CHECK(high(eventfd(0, 0)));
  CHECK(high(timerfd_create(CLOCK_MONOTONIC, 0)));
  CHECK(high(inotify_init1(0)));
  CHECK(high(signalfd(-1, &none, 0)));
  int pair[2];
  CHECK(pipe(pair) == 0);
  CHECK(high(pair[0]));
  CHECK(high(pair[1]));
  CHECK(pipe2(pair, O_CLOEXEC) == 0);
  CHECK(high(pair[0]));
  CHECK(high(pair[1]));
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  CHECK(high(pair[0]));
  CHECK(high(pair[1]));
  CHECK(lowest_free() == free);
}

TEST_CASE("connections that are accepted") {
  const int free = lowest_free();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(bind(listening, at, bytes) == 0);
  REQUIRE(listen(listening, 2) == 0);
  REQUIRE(getsockname(listening, at, &bytes) == 0);
  for (const bool flags : {false, true}) {
    const int here = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(connect(here, at, bytes) == 0);
    const int there = flags ? accept4(listening, nullptr, nullptr, SOCK_CLOEXEC) : accept(listening, nullptr, nullptr);
    CHECK(closes_on_exec(there) == flags);
    char got = 0;
    CHECK(write(here, "x", 1) == 1);
    CHECK(read(there, &got, 1) == 1);
    CHECK(got == 'x');
    CHECK(high(there));
    close(here);
  }
  close(listening);
  CHECK(lowest_free() == free);
}

TEST_CASE("what a call said besides stays: errors, flags, the file that it made") {
  errno = 0;
  CHECK(open("/nowhere/at/all", O_RDONLY) == -1);
  CHECK(errno == ENOENT);
  errno = EDOM;
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  CHECK(errno == EDOM);
  CHECK(closes_on_exec(fd));
  CHECK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
  close(fd);
  const int unnamed = open("/tmp", O_TMPFILE | O_RDWR, 0640);
  if (unnamed >= 0) CHECK(high(unnamed));
}

TEST_CASE("with a limit below the high numbers, half of what it allows is high; where none is free, a low number serves") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = 64;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  const int fd = open("/dev/null", O_RDONLY);
  CHECK(fd >= 32);
  CHECK(fd < 64);
  for (int made = fd; made >= 32; made = open("/dev/null", O_RDONLY)) CHECK(made < 64);
  const int low = open("/dev/null", O_RDONLY);
  CHECK(low >= 0);
  CHECK(low < 32);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
}
