// Sizes of what has `fields`: in memory, and on the wire.
#pragma once
#include <mana/clock/fields.hpp>
#include <mana/clock/message.hpp>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <variant>
#include <vector>

namespace clock_scale {

constexpr std::size_t tree_node_bytes = 4 * sizeof(void*);  // what std::map and std::set add to an element
constexpr std::size_t block_bytes = sizeof(void*);          // what malloc adds to a block

template <class T>
constexpr bool is_plain = std::is_trivially_copyable_v<T>;

/// Bytes on the heap that belong to the object.
template <class T>
std::size_t heap_bytes(const T& object);

template <class T, class A>
std::size_t heap_of(const std::vector<T, A>& v) {
  if (v.capacity() == 0) return 0;
  if constexpr (std::is_same_v<T, bool>) {
    return v.capacity() / 8 + block_bytes;
  } else {
    std::size_t sum = v.capacity() * sizeof(T) + block_bytes;
    for (const T& element : v) sum += heap_bytes(element);
    return sum;
  }
}
template <class T>
std::size_t heap_of(const std::deque<T>& d) {
  std::size_t sum = 576 + d.size() * sizeof(T);  // the map of blocks, and the first block
  for (const T& element : d) sum += heap_bytes(element);
  return sum;
}
template <class K, class V, class C>
std::size_t heap_of(const std::map<K, V, C>& m) {
  std::size_t sum = m.size() * (sizeof(std::pair<const K, V>) + tree_node_bytes + block_bytes);
  for (const auto& [key, value] : m) sum += heap_bytes(key) + heap_bytes(value);
  return sum;
}
template <class K, class C>
std::size_t heap_of(const std::set<K, C>& s) {
  std::size_t sum = s.size() * (sizeof(K) + tree_node_bytes + block_bytes);
  for (const K& key : s) sum += heap_bytes(key);
  return sum;
}
template <class T>
std::size_t heap_of(const std::optional<T>& o) { return o ? heap_bytes(*o) : 0; }
template <class... T>
std::size_t heap_of(const std::variant<T...>& v) {
  return std::visit([](const auto& x) { return heap_bytes(x); }, v);
}
template <class A, class B>
std::size_t heap_of(const std::pair<A, B>& p) { return heap_bytes(p.first) + heap_bytes(p.second); }

template <class T>
std::size_t heap_bytes(const T& object) {
  if constexpr (is_plain<T>) {
    return 0;
  } else if constexpr (mana::clock::with_fields<T>) {
    std::size_t sum = 0;
    mana::clock::for_each_field(object, [&sum](const auto& member) { sum += heap_bytes(member); });
    return sum;
  } else {
    return heap_of(object);
  }
}

/// Bytes on the wire: numbers as they are, lists with their length, no members that the receiver knows.
template <class T>
std::size_t wire_bytes(const T& object);

template <class T>
std::size_t wire_of(const std::vector<T>& v) {
  std::size_t sum = sizeof(std::uint32_t);
  for (const T& element : v) sum += wire_bytes(element);
  return sum;
}
template <class... T>
std::size_t wire_of(const std::variant<T...>& v) {
  return 1 + std::visit([](const auto& x) { return wire_bytes(x); }, v);
}

template <class T>
std::size_t wire_bytes(const T& object) {
  if constexpr (mana::clock::with_fields<T>) {
    std::size_t sum = 0;
    mana::clock::for_each_field(object, [&sum](const auto& member) { sum += wire_bytes(member); });
    return sum;
  } else if constexpr (is_plain<T>) {
    return sizeof(T);
  } else {
    return wire_of(object);
  }
}

}  // namespace clock_scale
