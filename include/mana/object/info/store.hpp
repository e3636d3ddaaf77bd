// Info objects: ordered pairs of key and value. Hints are kept for the program's own queries. They are plain data, and
// no call on them enters the lower half.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mana {

template <>
struct class_facts<kind::info> {
  static constexpr int error = neutral::err_info;
  static constexpr lower::counted counted = lower::counted::infos;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

/// Keys are unique and keep the order in which they were first set, which MPI_Info_get_nthkey uses.
class info_store {
 public:
  const std::string* find(std::string_view key) const noexcept {
    const auto at = position(key);
    return at != pairs_.end() ? &at->second : nullptr;
  }
  void set(std::string_view key, std::string_view value) {
    const auto at = position(key);
    if (at != pairs_.end()) pairs_[static_cast<std::size_t>(at - pairs_.begin())].second = value;
    else pairs_.emplace_back(key, value);
  }
  /// out: false if no such key exists
  bool remove(std::string_view key) {
    const auto at = position(key);
    if (at == pairs_.end()) return false;
    pairs_.erase(at);
    return true;
  }
  int size() const noexcept { return static_cast<int>(pairs_.size()); }
  /// in: n  0 … size() - 1
  const std::string& key(int n) const noexcept { return pairs_[static_cast<std::size_t>(n)].first; }

 private:
  using pair_list = std::vector<std::pair<std::string, std::string>>;
  pair_list::const_iterator position(std::string_view key) const noexcept {
    return std::find_if(pairs_.begin(), pairs_.end(), [key](const auto& p) { return p.first == key; });
  }
  pair_list pairs_;
};

}  // namespace mana::object

namespace mana {

template <>
struct descriptor<kind::info> {
  object::info_store pairs;
};

}  // namespace mana
