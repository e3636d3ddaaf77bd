// Groups of processes: an ordered list of world ranks without repetition, and MPI's algebra on it. Plain data: none of
// these calls enters the lower half, and a restart finds groups unchanged.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

#include <algorithm>
#include <vector>

namespace mana {

template <>
struct class_facts<kind::group> {
  static constexpr int error = neutral::err_group;
  static constexpr lower::counted counted = lower::counted::groups;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

/// World ranks, in the order of the ranks in the group.
using rank_list = std::vector<int>;

}  // namespace mana::object

namespace mana {

template <>
struct descriptor<kind::group> {
  object::rank_list ranks;
  int own_rank = -1;            // rank of this process in the group; -1: no member
  std::uint32_t session = 0;    // the session that it comes from: bits of a virtual id, 0: the world model
};

}  // namespace mana

namespace mana::object {

/// Results of MPI_Group_compare.
enum class likeness { identical, similar, unequal };

/// The position of each world rank in a group. Built once for each operation; its memory is one int for each world rank
/// up to the group's highest.
class rank_index {
 public:
  explicit rank_index(const rank_list& ranks) {
    const auto last = std::max_element(ranks.begin(), ranks.end());
    position_.assign(ranks.empty() ? 0 : static_cast<std::size_t>(*last) + 1, -1);
    for (std::size_t i = 0; i < ranks.size(); ++i) position_[static_cast<std::size_t>(ranks[i])] = static_cast<int>(i);
  }
  /// out: rank in the group, or -1
  int find(int world_rank) const noexcept {
    const auto i = static_cast<std::size_t>(world_rank);
    return i < position_.size() ? position_[i] : -1;
  }

 private:
  std::vector<int> position_;
};

inline likeness compare_groups(const rank_list& a, const rank_list& b) {
  if (a == b) return likeness::identical;
  if (a.size() != b.size()) return likeness::unequal;
  const rank_index in_b(b);
  const bool same = std::all_of(a.begin(), a.end(), [&](int r) { return in_b.find(r) >= 0; });
  return same ? likeness::similar : likeness::unequal;
}

/// All ranks of a in their order, then the ranks of b that are not in a.
inline rank_list group_union(const rank_list& a, const rank_list& b) {
  const rank_index in_a(a);
  rank_list result = a;
  std::copy_if(b.begin(), b.end(), std::back_inserter(result), [&](int r) { return in_a.find(r) < 0; });
  return result;
}
/// The ranks of a that are also in b, in the order of a.
inline rank_list group_intersection(const rank_list& a, const rank_list& b) {
  const rank_index in_b(b);
  rank_list result;
  std::copy_if(a.begin(), a.end(), std::back_inserter(result), [&](int r) { return in_b.find(r) >= 0; });
  return result;
}
/// The ranks of a that are not in b, in the order of a.
inline rank_list group_difference(const rank_list& a, const rank_list& b) {
  const rank_index in_b(b);
  rank_list result;
  std::copy_if(a.begin(), a.end(), std::back_inserter(result), [&](int r) { return in_b.find(r) < 0; });
  return result;
}

/// True if every entry is a rank of a group of that size and none occurs twice.
inline bool valid_selection(std::size_t group_size, const rank_list& selected) {
  std::vector<bool> seen(group_size);
  for (const int r : selected) {
    if (r < 0 || static_cast<std::size_t>(r) >= group_size || seen[static_cast<std::size_t>(r)]) return false;
    seen[static_cast<std::size_t>(r)] = true;
  }
  return true;
}

/// in: selected  ranks in the group, valid_selection
inline rank_list include(const rank_list& group, const rank_list& selected) {
  rank_list result;
  result.reserve(selected.size());
  for (const int r : selected) result.push_back(group[static_cast<std::size_t>(r)]);
  return result;
}
inline rank_list exclude(const rank_list& group, const rank_list& selected) {
  std::vector<bool> out(group.size());
  for (const int r : selected) out[static_cast<std::size_t>(r)] = true;
  rank_list result;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (!out[i]) result.push_back(group[i]);
  return result;
}

enum class range_fault { none, stride, rank };

/// The ranks of n triplets (first, last, stride), appended in order. A range in the wrong direction is empty. Stops at
/// the first rank outside a group of that size.
inline range_fault expand_ranges(std::size_t group_size, int n, const int (*ranges)[3], rank_list& out) {
  for (int i = 0; i < n; ++i) {
    const long first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0) return range_fault::stride;
    for (long r = first; stride > 0 ? r <= last : r >= last; r += stride) {
      if (r < 0 || r >= static_cast<long>(group_size)) return range_fault::rank;
      out.push_back(static_cast<int>(r));
    }
  }
  return range_fault::none;
}

}  // namespace mana::object
