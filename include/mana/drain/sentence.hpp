// A sentence about a drain, put together without malloc.
#pragma once
#include <mana/lower/cross.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::drain {

/// Text that does not fit is cut off.
class sentence {
 public:
  sentence& operator<<(const char* text) noexcept {
    while (*text != '\0' && n_ + 1 < sizeof text_) text_[n_++] = *text++;
    text_[n_] = '\0';
    return *this;
  }
  sentence& operator<<(std::int64_t number) noexcept {
    char digits[24];
    char* at = digits + sizeof digits - 1;
    *at = '\0';
    std::uint64_t left = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    do *--at = static_cast<char>('0' + left % 10);
    while ((left /= 10) != 0);
    if (number < 0) *--at = '-';
    return *this << at;
  }
  const char* text() const noexcept { return text_; }
  bool empty() const noexcept { return n_ == 0; }

 private:
  char text_[512] = {};
  std::size_t n_ = 0;
};

/// in: neutral_class  added in the live MPI's words
inline sentence& add_error(sentence& s, int neutral_class) noexcept {
  char words[512] = {};
  int length = 0;
  const lower::services& live = *lower::the_bridge().service;
  lower::cross([&] { return live.error_text(neutral_class, words, &length); });
  return s << ": " << words;
}

}  // namespace mana::drain
