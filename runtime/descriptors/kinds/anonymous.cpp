#include <runtime/descriptors/kinds/anonymous.hpp>

#include <runtime/descriptors/base/proc_info.hpp>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

using nlohmann::json;

namespace mana::descriptors {

namespace {

/// The kernel's form, with 64 signals. libc's signalfd() would copy a sigset_t of 1024.
using kernel_signals = std::uint64_t;

// From <linux/timerfd.h>, which cannot be included together with <sys/timerfd.h>.
constexpr unsigned long set_ticks = _IOW('T', 0, std::uint64_t);

void describe_event(int fd, json& row) {
  row["kind"] = "eventfd";
  row["count"] = number_in(info_of(fd, "eventfd-count"), 16);
  row["semaphore"] = number_in(info_of(fd, "eventfd-semaphore"), 10) != 0;   // kernels before 6.5 do not tell
}

/// The kernel tells the time left, even of timers that are set to a point in time. But if a periodic timer has expired
/// since it was read, the kernel tells nothing until timerfd_gettime() makes it count the expirations.
void describe_timer(int fd, json& row) {
  const auto pair = [&](const char* name) {
    long long seconds = 0, nanoseconds = 0;
    std::sscanf(info_of(fd, name).c_str(), " (%lld, %lld)", &seconds, &nanoseconds);
    return json::array({seconds, nanoseconds});
  };
  itimerspec now;
  timerfd_gettime(fd, &now);
  row["kind"] = "timerfd";
  row["clock"] = number_in(info_of(fd, "clockid"), 10);
  row["ticks"] = number_in(info_of(fd, "ticks"), 10);
  row["left"] = pair("it_value");
  row["interval"] = pair("it_interval");
}

int make_event(const json& row) {
  const bool semaphore = row.at("semaphore");
  const int fd = eventfd(0, (row.at("flags").get<int>() & O_NONBLOCK) | (semaphore ? EFD_SEMAPHORE : 0));
  const std::uint64_t count = row.at("count");
  if (fd >= 0 && count != 0 && write(fd, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) {
    close(fd);
    return -1;
  }
  return fd;
}

timespec time_of(const json& pair) { return {pair.at(0).get<time_t>(), pair.at(1).get<long>()}; }

/// A timer that stands still until the program runs again.
struct standing_timer {
  int fd;
  int clock;
  itimerspec time;           // the time left, and the interval
  std::uint64_t ticks;       // that the program has not read
};
std::vector<standing_timer> standing;

int make_timer(const json& row) {
  return timerfd_create(row.at("clock").get<int>(), row.at("flags").get<int>() & O_NONBLOCK);
}

int make_signals(const json& row) {
  const kernel_signals mask = row.at("signals");
  return static_cast<int>(syscall(SYS_signalfd4, -1, &mask, sizeof mask, row.at("flags").get<int>() & O_NONBLOCK));
}

}  // namespace

bool describe_anonymous(int fd, json& row) {
  const std::string target = row.at("path");
  if (target == "anon_inode:[eventfd]") {
    describe_event(fd, row);
  } else if (target == "anon_inode:[timerfd]") {
    describe_timer(fd, row);
  } else if (target == "anon_inode:[signalfd]") {
    row["kind"] = "signalfd";
    row["signals"] = number_in(info_of(fd, "sigmask"), 16);
  } else if (target == "anon_inode:[pidfd]" && number_in(info_of(fd, "NSpid"), 10) == static_cast<unsigned>(getpid())) {
    row["kind"] = "own process";
  } else {
    return false;
  }
  return true;
}

int make_anonymous(const json& row) {
  const std::string kind = row.at("kind");
  if (kind == "eventfd") return make_event(row);
  if (kind == "timerfd") return make_timer(row);
  if (kind == "signalfd") return make_signals(row);
  if (kind == "own process")
    return static_cast<int>(syscall(SYS_pidfd_open, getpid(), row.at("flags").get<int>() & O_NONBLOCK));
  return -1;
}

void note_timer(const json& row) {
  if (row.value("kind", "") != "timerfd") return;
  standing.push_back({row.at("fd"), row.at("clock"), {time_of(row.at("interval")), time_of(row.at("left"))}, row.at("ticks")});
}

/// timerfd_settime() clears the ticks, so they are set afterwards.
void start_timers(time_left left_now) {
  for (const standing_timer& t : standing) {
    const itimerspec when{t.time.it_interval, left_now == nullptr ? t.time.it_value : left_now(t.time.it_value, t.clock)};
    timerfd_settime(t.fd, 0, &when, nullptr);
    if (t.ticks != 0) ioctl(t.fd, set_ticks, &t.ticks);
  }
  standing.clear();
}

}  // namespace mana::descriptors
