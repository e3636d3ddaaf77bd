#include "table.hpp"

#include "low_descriptor_guard.hpp"

#include <descriptor_events.hpp>

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace mana::descriptors {

namespace {

struct known { std::uint64_t file; int standard; bool inherited; };

// Traps of several threads come here at once; a forked child never does.
std::mutex lock;
std::map<int, known> table;
std::uint64_t next_file = 1;

void on_opened(int fd, int like) {
  const std::lock_guard hold(lock);
  const auto same = like >= 0 ? table.find(like) : table.end();
  table[fd] = same != table.end() ? same->second : known{next_file++, -1, false};
}

void on_closed(int fd) {
  const std::lock_guard hold(lock);
  table.erase(fd);
}

bool is_owned(int fd) {
  const std::lock_guard hold(lock);
  return table.contains(fd);
}

void install() {
  split::descriptor_events events;
  events.opened = on_opened;
  events.closed = on_closed;
  events.owned = is_owned;
  split::set_descriptor_events(events);
}

}  // namespace

void begin() {
  release_low_numbers();
  const std::lock_guard hold(lock);
  for (int fd = 0; fd < first_lower_descriptor(); ++fd)
    if (fcntl(fd, F_GETFD) >= 0) table[fd] = {next_file++, fd <= 2 ? fd : -1, true};
  install();
}

std::vector<owned_descriptor> held() {
  const std::lock_guard hold(lock);
  std::vector<owned_descriptor> all;
  for (const auto& [fd, k] : table) all.push_back({fd, k.file, k.standard, k.inherited});
  return all;
}

void begin_with(const std::vector<owned_descriptor>& descriptors) {
  const std::lock_guard hold(lock);
  table.clear();
  for (const owned_descriptor& d : descriptors) {
    table[d.number] = {d.file, d.standard, d.inherited};
    next_file = std::max(next_file, d.file + 1);
  }
  install();
}

}  // namespace mana::descriptors
