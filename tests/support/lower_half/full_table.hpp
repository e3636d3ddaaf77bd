// A table of ids with none left.
#pragma once
#include <mana/vid/id_table.hpp>

#include <cstdint>
#include <vector>

namespace mana::scripted {

/// For as long as this lives, there are `left` ids of kind K to be had.
template <class K>
class full_table {
 public:
  explicit full_table(std::uint32_t left = 0) {
    std::vector<vid::entry<K>*> kept;
    for (std::uint32_t i = 0; i < left; ++i) kept.push_back(ids().insert_entry());
    ids().set_limit(0);                          // so there is no new one; those that were given back are taken
    while (vid::entry<K>* const e = ids().insert_entry()) taken_.push_back(e);
    for (vid::entry<K>* const e : kept) ids().erase(*e);
  }
  ~full_table() {
    for (vid::entry<K>* const e : taken_) ids().erase(*e);
    ids().set_limit(ids().capacity);
  }
  full_table(const full_table&) = delete;
  full_table& operator=(const full_table&) = delete;

 private:
  static vid::id_table<K>& ids() { return vid::table<K>(); }
  std::vector<vid::entry<K>*> taken_;
};

}  // namespace mana::scripted
