#include <runtime/descriptors/base/table.hpp>

#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/descriptors/base/proc_info.hpp>

#include <runtime/split/call/descriptor_events.hpp>
#include <runtime/split/filter/input.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace mana::descriptors {

namespace {

struct known {
  std::uint64_t file;
  int standard;
  bool inherited;
  std::uint64_t peer = 0;
};

// Several threads may trap here at the same time; a forked child never does.
std::mutex lock;
std::map<int, known> table;
std::map<std::pair<std::uint64_t, int>, std::string> watches;   // by open file and number of the watch
std::uint64_t next_file = 1;

int standard_of_new(int fd) noexcept;

void on_opened(int fd, int like) {
  const std::lock_guard hold(lock);
  const auto same = like >= 0 ? table.find(like) : table.end();
  table[fd] = same != table.end() ? same->second : known{next_file++, standard_of_new(fd), false};
}

/// A descriptor that came from elsewhere may share an open file with one of the program's.
void on_received(int fd) {
  const std::lock_guard hold(lock);
  const auto same = std::find_if(table.begin(), table.end(), [=](const auto& row) {
    return row.first != fd && same_open_file(row.first, fd);
  });
  table[fd] = same != table.end() ? same->second : known{next_file++, standard_of_new(fd), false};
}

void on_paired(int one, int other) {
  const std::lock_guard hold(lock);
  const std::uint64_t first = next_file++, second = next_file++;
  table[one] = {first, -1, false, second};
  table[other] = {second, -1, false, first};
}

void on_watched(int fd, int watch, const char* path, bool is_link) {
  char resolved[PATH_MAX];
  const char* const whole = is_link ? path : realpath(path, resolved);
  std::error_code ignored;
  const std::string name = whole == nullptr ? std::string() : std::filesystem::absolute(whole, ignored).string();
  const std::lock_guard hold(lock);
  if (const auto row = table.find(fd); row != table.end()) watches[{row->second.file, watch}] = name;
}

void on_closed(int fd) {
  const std::lock_guard hold(lock);
  table.erase(fd);
}

bool is_owned(int fd) {
  const std::lock_guard hold(lock);
  return table.contains(fd);
}

int next_owned(int from) {
  const std::lock_guard hold(lock);
  const auto next = table.lower_bound(from);
  return next == table.end() ? -1 : next->first;
}

/// If the launcher sends standard input through a pipe or socket, the reads are counted.
void watch_input(split::earlier_count counted) {
  split::input_file input{};
  std::vector<int> numbers;
  for (const auto& [fd, k] : table) {
    struct stat s{};
    if (k.standard != 0 || fstat(fd, &s) != 0 || !is_stream(fd) || isatty(fd) != 0) continue;
    input = {s.st_dev, s.st_ino};
    numbers.push_back(fd);
  }
  split::count_input(input, numbers, counted);
}

/// /dev/stdin opened again is another open file of the same pipe.
int standard_of_new(int fd) noexcept { return split::is_input(fd) ? 0 : -1; }

void install() {
  split::descriptor_events events;
  events.opened = on_opened;
  events.received = on_received;
  events.paired = on_paired;
  events.watched = on_watched;
  events.closed = on_closed;
  events.owned = is_owned;
  events.next_owned = next_owned;
  split::set_descriptor_events(events);
}

/// Two rows may no longer be duplicates of each other.
void separate_exchanged() {
  for (auto& [fd, k] : table) {
    const auto first = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.second.file == k.file; });
    if (first->first != fd && !same_open_file(first->first, fd)) k = known{next_file++, -1, false};
  }
}

}  // namespace

void look_at_shared() {
  if (!split::has_shared_descriptors()) return;
  std::vector<int> unknown;
  {
    const std::lock_guard hold(lock);
    std::erase_if(table, [](const auto& row) { return fcntl(row.first, F_GETFD) < 0; });
    separate_exchanged();
    for (int fd = 0; fd < first_lower_descriptor(); ++fd)
      if (fcntl(fd, F_GETFD) >= 0 && !table.contains(fd) && !is_guarded(fd)) unknown.push_back(fd);
  }
  for (const int fd : unknown) on_received(fd);
}

/// A descriptor of 0 to 2 that is not the launcher's came from the process that executed the program, for the program.
void begin(const standard_files& launchers, split::earlier_count counted) {
  release_low_numbers();
  const std::lock_guard hold(lock);
  for (int fd = 0; fd < first_lower_descriptor(); ++fd)
    if (fcntl(fd, F_GETFD) >= 0) table[fd] = {next_file++, launchers.of(fd), fd != 0 || launchers.is_input(fd)};
  watch_input(counted);
  install();
}

std::vector<owned_descriptor> held() {
  const std::lock_guard hold(lock);
  std::vector<owned_descriptor> all;
  for (const auto& [fd, k] : table) all.push_back({fd, k.file, k.standard, k.inherited, k.peer});
  return all;
}

std::string watched_path(std::uint64_t file, int watch) {
  const std::lock_guard hold(lock);
  const auto found = watches.find({file, watch});
  return found == watches.end() ? std::string() : found->second;
}

void note_watch(std::uint64_t file, int watch, const std::string& path) {
  const std::lock_guard hold(lock);
  watches[{file, watch}] = path;
}

void begin_with(const std::vector<owned_descriptor>& descriptors) {
  const std::lock_guard hold(lock);
  table.clear();
  for (const owned_descriptor& d : descriptors) {
    table[d.number] = {d.file, d.standard, d.inherited, d.peer};
    next_file = std::max({next_file, d.file + 1, d.peer + 1});
  }
  watch_input({});
  install();
}

}  // namespace mana::descriptors
