// Any state as bytes, by `fields`, and 128-bit hashes of them. Two states are the same if their bytes are.
#pragma once
#include <mana/clock/policy.hpp>

#include <xxhash.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <variant>
#include <vector>

namespace clock_model {

using bytes = std::vector<unsigned char>;

struct hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const hash128&) const = default;
};

inline hash128 hash_of(const void* data, std::size_t size) {
  const XXH128_hash_t h = XXH3_128bits(data, size);
  return {h.low64, h.high64};
}

/// Each value says by itself where it ends, so that different values one after the other are different bytes.
class byte_writer {
 public:
  explicit byte_writer(bytes& to) : to_(to) {}

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void put(T value) {
    const auto v = static_cast<std::uint64_t>(value);
    if (v < 255) {                        // nearly all are
      to_.push_back(static_cast<unsigned char>(v));
      return;
    }
    to_.push_back(255);
    for (int shift = 0; shift < 64; shift += 8) to_.push_back(static_cast<unsigned char>(v >> shift));
  }
  void put(const mana::clock::group_name& n) { put(n.ggid), put(n.check); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(list.size());
    for (const auto& one : list) put(static_cast<const T&>(one));
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& list) {
    for (const T& one : list) put(one);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& two) {
    put(two.first);
    put(two.second);
  }
  template <class K, class V>
  void put(const std::map<K, V>& map) {
    put(map.size());
    for (const auto& entry : map) put(entry);
  }
  template <class K>
  void put(const std::set<K>& set) {
    put(set.size());
    for (const K& key : set) put(key);
  }
  template <class T>
  void put(const std::optional<T>& maybe) {
    put(maybe.has_value());
    if (maybe) put(*maybe);
  }
  template <class... T>
  void put(const std::variant<T...>& one) {
    put(one.index());
    std::visit([&](const auto& value) { put(value); }, one);
  }
  template <mana::clock::with_fields T>
  void put(const T& object) {
    mana::clock::for_each_field(object, [&](const auto& member) { put(member); });
  }

 private:
  bytes& to_;
};

template <class T>
hash128 hash_of_state(const T& value) {
  static bytes scratch;
  scratch.clear();
  byte_writer writer(scratch);
  put_state(writer, value);
  return hash_of(scratch.data(), scratch.size());
}

}  // namespace clock_model
