// Error classes, codes and texts that the program adds. Codes of the live MPI never reach the program: a wrapper
// returns a class of this mpi.h, or one of these.
#pragma once
#include <mana/app/abi.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace mana::app {

/// One lock for data that changes rarely: error codes, attribute keys, numbers of operations. It is never held while
/// code of the program runs, nor across a switch between the halves.
inline std::mutex& cold_lock() noexcept {
  static std::mutex lock;
  return lock;
}

class error_space {
 public:
  static constexpr int first = MPI_ERR_LASTCODE + 1;

  int add_class() { return add(first + static_cast<int>(added_.size())); }
  int add_code(int error_class) { return add(error_class); }
  bool added(int code) const noexcept {
    return code >= first && code - first < static_cast<int>(added_.size()) && !at(code).removed;
  }
  int class_of(int code) const noexcept { return at(code).error_class; }
  const std::string& text(int code) const noexcept { return at(code).text; }
  void set_text(int code, const char* text) { added_[index(code)].text = text; }
  /// The number is given out again only after all later numbers are removed too.
  void remove(int code) {
    added_[index(code)] = {at(code).error_class, {}, true};
    while (!added_.empty() && added_.back().removed) added_.pop_back();
  }
  bool is_class(int code) const noexcept { return added(code) && class_of(code) == code; }
  /// The text of a standard class that the program has been told. It stays, whatever words a later live MPI has.
  /// nullptr: none was told
  const std::string* told(int neutral_class) const noexcept {
    const auto found = std::ranges::find(told_, neutral_class, &told_text::neutral_class);
    return found != told_.end() ? &found->text : nullptr;
  }
  void keep_told(int neutral_class, const char* text) {
    if (told(neutral_class) == nullptr) told_.push_back({neutral_class, text});
  }
  /// Value of the attribute MPI_LASTUSEDCODE; its address is the attribute's and stays.
  int* last_used() noexcept { return &last_used_; }

 private:
  struct entry {
    int error_class;
    std::string text;
    bool removed = false;
  };
  static std::size_t index(int code) noexcept { return static_cast<std::size_t>(code - first); }
  const entry& at(int code) const noexcept { return added_[index(code)]; }
  int add(int error_class) {
    added_.push_back({error_class, {}, false});
    const int code = first + static_cast<int>(added_.size()) - 1;
    // never decreases: the attribute is the last code that was used
    last_used_ = std::max(last_used_, code);
    return code;
  }
  struct told_text {
    int neutral_class;
    std::string text;
  };
  std::vector<entry> added_;
  std::vector<told_text> told_;
  int last_used_ = MPI_ERR_LASTCODE;
};

inline error_space& errors() noexcept {
  static error_space space;
  return space;
}

}  // namespace mana::app
