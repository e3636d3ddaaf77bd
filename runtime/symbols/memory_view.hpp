// The memory of a process, which may be another process, or have ended.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace mana::symbols {

/// The memory cannot be read, or is not a rank's; one line. errno_value: 0 if the system is not the cause
struct memory_error : std::runtime_error {
  explicit memory_error(const std::string& what, int errno_value_ = 0)
      : std::runtime_error(what), errno_value(errno_value_) {}
  int errno_value;
};

class memory_view {
 public:
  memory_view() = default;
  memory_view(const memory_view&) = delete;
  memory_view& operator=(const memory_view&) = delete;
  virtual ~memory_view() = default;

  /// Reads all n bytes, or returns false.
  virtual bool read(std::uintptr_t address, void* to, std::size_t n) const noexcept = 0;
  /// Path of the file that is mapped there; empty: none.
  virtual std::string file_at(std::uintptr_t address) const = 0;

  template <class T>
  std::optional<T> get(std::uintptr_t address) const noexcept {
    T value;
    if (!read(address, &value, sizeof value)) return std::nullopt;
    return value;
  }
  /// Characters up to a zero or an unreadable byte, at most 4096.
  std::string text(std::uintptr_t address) const {
    std::string all;
    char next = 0;
    while (all.size() < 4096 && read(address + all.size(), &next, 1) && next != 0) all += next;
    return all;
  }
};

}  // namespace mana::symbols
