// The live objects of a kind in the order in which a restart makes them again.
#pragma once
#include <mana/lower/mapped_array.hpp>
#include <mana/vid/id_table.hpp>

#include <algorithm>
#include <cstddef>

namespace mana::vid {

/// Calls f(entry&) for the live entries for which wanted(entry) is true, sorted by before(entry, entry), a total order.
/// f may erase its entry. Entries that f inserts are not visited.
/// cost: O(n log n), memory from mmap only
template <class K, class Wanted, class Before, class F>
inline void for_each_in_order(Wanted&& wanted, Before&& before, F&& f) noexcept {
  std::size_t n = 0;
  table<K>().for_each_unordered([&](entry<K>& e) { n += wanted(e); });
  lower::mapped_array<entry<K>*> list(n);
  entry<K>** end = list.data();
  table<K>().for_each_unordered([&](entry<K>& e) { if (wanted(e)) *end++ = &e; });
  std::sort(list.data(), end, [&](const entry<K>* a, const entry<K>* b) { return before(*a, *b); });
  std::for_each(list.data(), end, [&](entry<K>* e) { f(*e); });
}

}  // namespace mana::vid
