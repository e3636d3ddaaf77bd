// Maps a file, so that only the parts in use are read: libraries are large, their symbol tables are not.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace mana::symbols {

class mapped_file {
 public:
  explicit mapped_file(const std::string& path);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  /// Empty: the file could not be read.
  std::string_view bytes() const noexcept { return {static_cast<const char*>(begin_), size_}; }

 private:
  void* begin_ = nullptr;
  std::size_t size_ = 0;
};

/// The T at this offset of a file's bytes; nothing if it extends beyond them.
template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) noexcept {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace mana::symbols
