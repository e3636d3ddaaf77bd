#include <runtime/descriptors/kinds/epoll.hpp>

#include <runtime/descriptors/base/proc_info.hpp>

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

using nlohmann::json;

namespace mana::descriptors {

namespace {

struct watched {
  int number;       // the number when it was added
  unsigned nth;     // among files that were added with this number
};

/// True if the set watches this descriptor's open file under this number, and if the kernel does not tell.
bool is_watched(int set, const watched& w, int candidate) {
  const kcmp_epoll_slot slot{static_cast<unsigned>(set), static_cast<unsigned>(w.number), w.nth};
  const long self = getpid();
  const long order = syscall(SYS_kcmp, self, self, KCMP_EPOLL_TFD, candidate, &slot);
  return order == 0 || (order < 0 && candidate == w.number && fcntl(candidate, F_GETFD) >= 0);
}

/// A descriptor of the watched file; -1: the program has none.
int find(int set, const watched& w, const std::vector<owned_descriptor>& all) {
  if (is_watched(set, w, w.number)) return w.number;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& d) { return is_watched(set, w, d.number); });
  return found == all.end() ? -1 : found->number;
}

/// While the object exists, the number belongs to another file.
class borrowed_number {
 public:
  borrowed_number(int number, int file)
      : number_(number), flags_(fcntl(number, F_GETFD)), own_(flags_ < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, 0)) {
    dup2(file, number);
  }
  ~borrowed_number() {
    if (own_ < 0) {
      close(number_);
      return;
    }
    dup3(own_, number_, (flags_ & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    close(own_);
  }
  borrowed_number(const borrowed_number&) = delete;
  borrowed_number& operator=(const borrowed_number&) = delete;

 private:
  int number_, flags_, own_;
};

}  // namespace

void describe_epoll(int fd, json& row, const std::vector<owned_descriptor>& all, report& said) {
  row["kind"] = "epoll";
  row["watched"] = json::array();
  std::map<int, unsigned> met;
  for (const std::string& line : info_lines(fd, "tfd:")) {
    int number = 0;
    unsigned events = 0;
    unsigned long long data = 0;
    if (std::sscanf(line.c_str(), "%d events: %x data: %llx", &number, &events, &data) != 3) continue;
    const int now = find(fd, {number, met[number]++}, all);
    if (now >= 0)
      row["watched"].push_back({{"fd", number}, {"now", now}, {"events", events}, {"data", data}});
    else
      said.warn(fd, row, "watches the file that descriptor " + std::to_string(number) +
                             " was, and no other is: after a restart it does not");
  }
}

void watch_again(const json& row) {
  for (const json& w : row.at("watched")) {
    epoll_event event{};
    event.events = w.at("events");
    event.data.u64 = w.at("data");
    const int number = w.at("fd"), now = w.at("now");
    if (number == now) {
      epoll_ctl(row.at("fd"), EPOLL_CTL_ADD, number, &event);
      continue;
    }
    const borrowed_number meanwhile(number, now);
    epoll_ctl(row.at("fd"), EPOLL_CTL_ADD, number, &event);
  }
}

}  // namespace mana::descriptors
