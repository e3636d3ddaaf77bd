// /proc/self/maps, read by raw system calls: usable in traps, in children, on any stack.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

namespace mana::split {

struct kernel_mapping {
  address_range range;
  int protection;              // PROT_*
};

/// Reads "begin-end rwx" from each line. The text comes piece by piece.
class maps_reader {
 public:
  template <class Found>
  void feed(const char* text, std::size_t n, Found&& found) noexcept {
    for (const char* c = text; c != text + n; ++c) {
      if (*c == '\n') *this = {};
      else if (field_ == field::rest) continue;
      else if (*c == '-' && field_ == field::begin) field_ = field::end;
      else if (*c == ' ' && field_ == field::end) field_ = field::mode;
      else if (field_ == field::mode) take_mode(*c, found);
      else value_[field_ == field::end] = value_[field_ == field::end] * 16 + digit(*c);
    }
  }

 private:
  enum class field { begin, end, mode, rest };

  static std::uintptr_t digit(char c) noexcept {
    return static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  template <class Found>
  void take_mode(char c, Found&& found) noexcept {
    if (c == 'r') protection_ |= PROT_READ;
    if (c == 'w') protection_ |= PROT_WRITE;
    if (c == 'x') protection_ |= PROT_EXEC;
    if (++letters_ < 3) return;
    field_ = field::rest;
    found(kernel_mapping{{value_[0], value_[1]}, protection_});
  }

  std::uintptr_t value_[2] = {0, 0};
  int protection_ = 0, letters_ = 0;
  field field_ = field::begin;
};

/// Calls found(kernel_mapping) for each mapping of this process, ascending.     out: false if they cannot be read
template <class Found>
bool each_mapping(Found&& found) noexcept {
  const long fd = raw_call(SYS_open, as_word("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (is_error(fd)) return false;
  maps_reader reader;
  char text[1024];
  long n = 0;
  do {
    n = raw_call(SYS_read, fd, as_word(text), sizeof text);
    if (n > 0) reader.feed(text, static_cast<std::size_t>(n), found);
  } while (n > 0 || n == -EINTR);
  raw_call(SYS_close, fd);
  return n == 0;
}

}  // namespace mana::split
