#include "window.hpp"

#include "saved_state.hpp"

#include <cerrno>
#include <fcntl.h>

#include <algorithm>

namespace mana::split {
namespace {

constinit window_map the_window{{lower::mmap_zone, lower::window_end}};

constexpr address_range bridge_pages{
    lower::bridge_address, lower::threads_address + lower::max_threads * sizeof(lower::thread_block)};
constexpr address_range stub_pages{lower::stub_address, lower::program_zone};

constexpr bool apart(address_range a, address_range b) noexcept { return a.end <= b.begin || b.end <= a.begin; }

/// Takes the hexadecimal "begin-end" of each line of /proc/self/maps, fed piece by piece.
class maps_reader {
 public:
  template <class Found>
  void feed(const char* text, std::size_t n, Found&& found) noexcept {
    for (const char* c = text; c != text + n; ++c) {
      if (*c == '\n') *this = {};
      else if (field_ == 2) continue;
      else if (*c == '-' && field_ == 0) field_ = 1;
      else if (*c == ' ') { field_ = 2; found(address_range{value_[0], value_[1]}); }
      else value_[field_] = value_[field_] * 16 + digit(*c);
    }
  }

 private:
  static std::uintptr_t digit(char c) noexcept {
    return static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  std::uintptr_t value_[2] = {0, 0};
  unsigned field_ = 0;   // 0: begin, 1: end, 2: the rest of the line
};

}  // namespace

window_map& mmap_window() noexcept { return the_window; }

bool rebuild_window() noexcept {
  const long fd = raw_call(SYS_open, as_word("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (is_error(fd)) return false;
  the_window.clear();
  maps_reader reader;
  char text[1024];
  bool ok = true;
  for (;;) {
    const long n = raw_call(SYS_read, fd, as_word(text), sizeof text);
    if (n == -EINTR) continue;
    if (n < 0) ok = false;
    if (n <= 0) break;
    reader.feed(text, static_cast<std::size_t>(n), [&](address_range r) { ok = the_window.take(r) && ok; });
  }
  raw_call(SYS_close, fd);
  return ok;
}

bool belongs_to_upper(address_range r) noexcept {
  if (r.begin > r.end) return false;
  const saved_state& state = saved();
  if (address_range{state.fixed_begin, state.fixed_end}.contains(r)) return true;
  return address_range{lower::window_begin, lower::window_end}.contains(r) && apart(r, bridge_pages) &&
         apart(r, stub_pages);
}

}  // namespace mana::split
