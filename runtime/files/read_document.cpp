#include <runtime/files/read_document.hpp>

#include <array>
#include <cstddef>

namespace mana::files {
namespace {

using nlohmann::json;

/// Checks, without recursion, that a document has only what mana writes: no indefinite lengths, no tags, no
/// floating-point numbers. The library accepts all of these. Its reader recurses at each level, even for strings of
/// indefinite length. It also converts any number to the integer type that the caller asks for, which is undefined for
/// most floating-point numbers.
class inspection {
 public:
  explicit inspection(std::span<const std::uint8_t> bytes) noexcept : left_(bytes) {}

  /// out: nullptr, or the objection
  const char* objection() noexcept {
    const char* wrong = item();
    while (wrong == nullptr && level_ > 0) {
      std::uint64_t& items = items_[level_ - 1];
      if (items == 0) {
        --level_;
      } else {
        --items;
        wrong = item();
      }
    }
    return wrong == nullptr && !left_.empty() ? "there is more after it" : wrong;
  }

 private:
  static constexpr const char* cut_off = "it is cut off";

  /// Major types of RFC 8949.
  enum class major : std::uint8_t { positive, negative, bytes, text, array, map, tag, simple };

  const char* item() noexcept {
    if (left_.empty()) return cut_off;
    const std::uint8_t first = left_[0];
    left_ = left_.subspan(1);
    const auto kind = static_cast<major>(first >> 5);
    const unsigned info = first & 31u;
    if (kind == major::simple) return simple(info);
    std::uint64_t n = info;
    if (info >= 24 && !take(info, n)) return info > 27 ? "it has something of indefinite length" : cut_off;
    switch (kind) {
      case major::bytes:
      case major::text: return skip(n);
      case major::array: return enter(n, 1);
      case major::map: return enter(n, 2);
      case major::tag: return "it has a tag";
      default: return nullptr;
    }
  }

  static const char* simple(unsigned value) noexcept {
    constexpr unsigned no = 20, yes = 21, null = 22;
    return value == no || value == yes || value == null ? nullptr : "it has a number that is not an integer, or an "
                                                                    "unknown value";
  }

  /// in: info  24 … 27: 1, 2, 4, 8 bytes follow, the highest first
  bool take(unsigned info, std::uint64_t& n) noexcept {
    if (info > 27) return false;
    const std::size_t bytes = std::size_t{1} << (info - 24);
    if (left_.size() < bytes) return false;
    n = 0;
    for (const std::uint8_t byte : left_.first(bytes)) n = n << 8 | byte;
    left_ = left_.subspan(bytes);
    return true;
  }

  const char* skip(std::uint64_t n) noexcept {
    if (n > left_.size()) return cut_off;
    left_ = left_.subspan(n);
    return nullptr;
  }

  /// Each item takes at least a byte.
  const char* enter(std::uint64_t n, std::uint64_t items_of_each) noexcept {
    if (n > left_.size() / items_of_each) return cut_off;
    if (level_ == items_.size()) return "it nests too deep";
    items_[level_++] = n * items_of_each;
    return nullptr;
  }

  std::span<const std::uint8_t> left_;
  std::array<std::uint64_t, deepest> items_{};       // that each open array or map still lacks, the outermost first
  std::size_t level_ = 0;
};

}  // namespace

json read_document(std::span<const std::uint8_t> bytes) {
  if (const char* const wrong = inspection(bytes).objection()) throw document_error(wrong);
  try {
    return json::from_cbor(bytes.begin(), bytes.end());
  } catch (const json::exception& error) {
    throw document_error(error.what());
  }
}

}  // namespace mana::files
