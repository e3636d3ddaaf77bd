#include "anonymous.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

using nlohmann::json;

namespace mana::descriptors {

namespace {

/// As the kernel takes it: 64 signals. libc's signalfd() would copy a sigset_t of 1024.
using kernel_signals = std::uint64_t;

// From <linux/timerfd.h>, which cannot be included beside <sys/timerfd.h>.
constexpr unsigned long set_ticks = _IOW('T', 0, std::uint64_t);

std::string info_path(int fd) { return "/proc/self/fdinfo/" + std::to_string(fd); }

std::uint64_t number_in(const std::string& text, int base) {
  const std::size_t from = text.find_first_not_of(" \t");
  return from == std::string::npos ? 0 : std::stoull(text.substr(from), nullptr, base);
}

void describe_event(int fd, json& row) {
  row["kind"] = "eventfd";
  row["count"] = number_in(info_of(fd, "eventfd-count"), 16);
  row["semaphore"] = number_in(info_of(fd, "eventfd-semaphore"), 10) != 0;   // kernels before 6.5 do not tell
}

/// The kernel tells the time that is left, also of timers that are set to a point in time.
void describe_timer(int fd, json& row) {
  const auto pair = [&](const char* name) {
    long long seconds = 0, nanoseconds = 0;
    std::sscanf(info_of(fd, name).c_str(), " (%lld, %lld)", &seconds, &nanoseconds);
    return json::array({seconds, nanoseconds});
  };
  row["kind"] = "timerfd";
  row["clock"] = number_in(info_of(fd, "clockid"), 10);
  row["ticks"] = number_in(info_of(fd, "ticks"), 10);
  row["left"] = pair("it_value");
  row["interval"] = pair("it_interval");
}

void describe_epoll(int fd, json& row) {
  row["kind"] = "epoll";
  row["watched"] = json::array();
  std::ifstream file(info_path(fd));
  for (std::string line; std::getline(file, line);) {
    int target = 0;
    unsigned events = 0;
    unsigned long long data = 0;
    if (std::sscanf(line.c_str(), "tfd: %d events: %x data: %llx", &target, &events, &data) == 3)
      row["watched"].push_back({{"fd", target}, {"events", events}, {"data", data}});
  }
}

int make_event(const json& row) {
  const bool semaphore = row["semaphore"];
  const int fd = eventfd(0, (row["flags"].get<int>() & O_NONBLOCK) | (semaphore ? EFD_SEMAPHORE : 0));
  const std::uint64_t count = row["count"];
  if (fd >= 0 && count != 0 && write(fd, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) {
    close(fd);
    return -1;
  }
  return fd;
}

timespec time_of(const json& pair) { return {pair[0].get<time_t>(), pair[1].get<long>()}; }

int make_timer(const json& row) {
  const int fd = timerfd_create(row["clock"].get<int>(), row["flags"].get<int>() & O_NONBLOCK);
  if (fd < 0) return -1;
  const itimerspec when{time_of(row["interval"]), time_of(row["left"])};
  timerfd_settime(fd, 0, &when, nullptr);
  const std::uint64_t ticks = row["ticks"];
  if (ticks != 0) ioctl(fd, set_ticks, &ticks);
  return fd;
}

int make_signals(const json& row) {
  const kernel_signals mask = row["signals"];
  return static_cast<int>(syscall(SYS_signalfd4, -1, &mask, sizeof mask, row["flags"].get<int>() & O_NONBLOCK));
}

}  // namespace

std::string target_of(int fd) {
  char text[4097] = {};
  const ssize_t n = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), text, sizeof text - 1);
  return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string();
}

std::string info_of(int fd, const std::string& name) {
  std::ifstream file(info_path(fd));
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name + ":", 0) == 0) return line.substr(name.size() + 1);
  return {};
}

bool describe_anonymous(int fd, json& row) {
  const std::string target = row["path"];
  if (target == "anon_inode:[eventfd]") {
    describe_event(fd, row);
  } else if (target == "anon_inode:[timerfd]") {
    describe_timer(fd, row);
  } else if (target == "anon_inode:[signalfd]") {
    row["kind"] = "signalfd";
    row["signals"] = number_in(info_of(fd, "sigmask"), 16);
  } else if (target == "anon_inode:[eventpoll]") {
    describe_epoll(fd, row);
  } else {
    return false;
  }
  return true;
}

int make_anonymous(const json& row) {
  const std::string kind = row["kind"];
  if (kind == "eventfd") return make_event(row);
  if (kind == "timerfd") return make_timer(row);
  if (kind == "signalfd") return make_signals(row);
  if (kind == "epoll") return epoll_create1(0);
  return -1;
}

void watch_again(const json& row) {
  for (const json& watched : row["watched"]) {
    epoll_event event{};
    event.events = watched["events"];
    event.data.u64 = watched["data"];
    epoll_ctl(row["fd"], EPOLL_CTL_ADD, watched["fd"], &event);   // a regular file, or one that is closed, cannot be
  }
}

}  // namespace mana::descriptors
