// Groups of processes. The wrappers answer all calls without the live MPI.
#pragma once
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/group/math.hpp>

namespace mana::object {


/// The world ranks of a group. Valid while its handle is.
struct group_members {
  bool ok = false;
  const int* world_ranks = nullptr;
  int size = 0;
  std::uint32_t session = 0;    // as in the descriptor
};

inline const rank_list& no_ranks() noexcept {
  static const rank_list none;
  return none;
}

/// out: nullptr for MPI_GROUP_NULL and for a handle that is stale or foreign
inline const rank_list* ranks_of_group(MPI_Group group) noexcept {
  const resolved<kind::group> found = resolve<kind::group>(group);
  if (!found.ok) return nullptr;
  if (found.e != nullptr) return &found.e->what.ranks;
  return found.predefined_code == neutral::group_empty ? &no_ranks() : nullptr;
}

/// The session that a group comes from; 0 for one of the world model, or of no ranks.
inline std::uint32_t session_of_group(MPI_Group group) noexcept {
  const vid::entry<kind::group>* const e = resolve<kind::group>(group).e;
  return e != nullptr ? e->what.session : 0;
}

inline group_members members_of_group(MPI_Group group) noexcept {
  const rank_list* const ranks = ranks_of_group(group);
  if (ranks == nullptr) return {};
  return {true, ranks->data(), static_cast<int>(ranks->size()), session_of_group(group)};
}

inline bool has_this_process(const group_members& members) noexcept {
  const int me = static_cast<int>(lower::the_bridge().world_rank);
  return members.ok && std::find(members.world_ranks, members.world_ranks + members.size, me) !=
                           members.world_ranks + members.size;
}

inline constexpr const char* no_group_id = "no free group id";

/// A group of the program; MPI_GROUP_EMPTY for no ranks at all. out: neutral error class; *made is written on success
inline int make_group(rank_list ranks, MPI_Group* made, std::uint32_t session = 0) noexcept {
  if (ranks.empty()) {
    *made = MPI_GROUP_EMPTY;
    return neutral::success;
  }
  vid::entry<kind::group>* const e = vid::table<kind::group>().insert_entry();
  if (e == nullptr) return neutral::err_no_mem;
  const auto own = std::find(ranks.begin(), ranks.end(), static_cast<int>(lower::the_bridge().world_rank));
  e->what.own_rank = own != ranks.end() ? static_cast<int>(own - ranks.begin()) : -1;
  e->what.ranks = std::move(ranks);
  e->what.session = session;
  *made = app::from_virt<kind::group>(vid::table<kind::group>().id_of(*e));
  return neutral::success;
}
inline int make_group(const vid::rank_map& ranks, MPI_Group* made, std::uint32_t session = 0) noexcept {
  return make_group(rank_list(ranks.world_ranks, ranks.world_ranks + ranks.size), made, session);
}
/// The end of a function whose arguments are only groups.
inline int give_group(function_id f, rank_list ranks, MPI_Group* made, std::uint32_t session) noexcept {
  const int rc = make_group(std::move(ranks), made, session);
  return rc == neutral::success ? MPI_SUCCESS : fail(f, rc, no_group_id);
}

inline int fail_group(function_id f) noexcept { return fail(f, neutral::err_group, "null, stale or foreign group"); }

/// A group made from two others. make: rank_list(const rank_list&, const rank_list&)
template <class Fn, class Make>
inline int combine_groups(MPI_Group a, MPI_Group b, MPI_Group* out, Make&& make) noexcept {
  const rank_list *const x = ranks_of_group(a), *const y = ranks_of_group(b);
  if (x == nullptr || y == nullptr) return fail_group(Fn::id);
  if (out == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  return give_group(Fn::id, make(*x, *y), out, session_of_group(a) != 0 ? session_of_group(a) : session_of_group(b));
}

/// A group made from a selection of another's ranks. make: rank_list(group's ranks, selected)
template <class Fn, class Make>
inline int select_from_group(MPI_Group group, const rank_list& selected, MPI_Group* out, Make&& make) noexcept {
  const rank_list* const ranks = ranks_of_group(group);
  if (ranks == nullptr) return fail_group(Fn::id);
  if (out == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  if (!valid_selection(ranks->size(), selected))
    return fail(Fn::id, neutral::err_rank, "a rank outside the group, or one named twice");
  return give_group(Fn::id, make(*ranks, selected), out, session_of_group(group));
}

template <class Fn, class Make>
inline int select_ranks(MPI_Group group, int n, const int* ranks, MPI_Group* out, Make&& make) noexcept {
  if (n < 0 || (n > 0 && ranks == nullptr)) return fail(Fn::id, neutral::err_arg, "number of ranks");
  return select_from_group<Fn>(group, rank_list(ranks, ranks + n), out, make);
}

template <class Fn, class Make>
inline int select_ranges(MPI_Group group, int n, const int (*ranges)[3], MPI_Group* out, Make&& make) noexcept {
  const rank_list* const ranks = ranks_of_group(group);
  if (ranks == nullptr) return fail_group(Fn::id);
  if (n < 0 || (n > 0 && ranges == nullptr)) return fail(Fn::id, neutral::err_arg, "number of ranges");
  rank_list selected;
  switch (expand_ranges(ranks->size(), n, ranges, selected)) {
    case range_fault::none: break;
    case range_fault::stride: return fail(Fn::id, neutral::err_arg, "a range with stride 0");
    case range_fault::rank: return fail(Fn::id, neutral::err_rank, "a range that leaves the group");
  }
  return select_from_group<Fn>(group, selected, out, make);
}

}  // namespace mana::object

namespace mana::manual {

inline int group_size(MPI_Group group, int* size) noexcept {
  const object::rank_list* const ranks = object::ranks_of_group(group);
  if (ranks == nullptr) return object::fail_group(fn::group_size::id);
  *size = static_cast<int>(ranks->size());
  return MPI_SUCCESS;
}
inline int group_rank(MPI_Group group, int* rank) noexcept {
  if (object::ranks_of_group(group) == nullptr) return object::fail_group(fn::group_rank::id);
  const resolved<kind::group> found = resolve<kind::group>(group);
  *rank = found.e != nullptr && found.e->what.own_rank >= 0 ? found.e->what.own_rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
inline int group_translate_ranks(MPI_Group from, int n, const int ranks[], MPI_Group to, int result[]) noexcept {
  const object::rank_list *const x = object::ranks_of_group(from), *const y = object::ranks_of_group(to);
  if (x == nullptr || y == nullptr) return object::fail_group(fn::group_translate_ranks::id);
  if (n < 0 || (n > 0 && (ranks == nullptr || result == nullptr)))
    return object::fail(fn::group_translate_ranks::id, neutral::err_arg, "number of ranks");
  const object::rank_index there(*y);
  for (int i = 0; i < n; ++i) {
    if (ranks[i] == MPI_PROC_NULL) { result[i] = MPI_PROC_NULL; continue; }
    if (ranks[i] < 0 || ranks[i] >= static_cast<int>(x->size()))
      return object::fail(fn::group_translate_ranks::id, neutral::err_rank, "a rank outside the group");
    const int found = there.find((*x)[static_cast<std::size_t>(ranks[i])]);
    result[i] = found >= 0 ? found : MPI_UNDEFINED;
  }
  return MPI_SUCCESS;
}
inline int group_compare(MPI_Group a, MPI_Group b, int* result) noexcept {
  const object::rank_list *const x = object::ranks_of_group(a), *const y = object::ranks_of_group(b);
  if (x == nullptr || y == nullptr) return object::fail_group(fn::group_compare::id);
  switch (object::compare_groups(*x, *y)) {
    case object::likeness::identical: *result = MPI_IDENT; break;
    case object::likeness::similar: *result = MPI_SIMILAR; break;
    case object::likeness::unequal: *result = MPI_UNEQUAL; break;
  }
  return MPI_SUCCESS;
}
inline int group_union(MPI_Group a, MPI_Group b, MPI_Group* out) noexcept {
  return object::combine_groups<fn::group_union>(a, b, out, object::group_union);
}
inline int group_intersection(MPI_Group a, MPI_Group b, MPI_Group* out) noexcept {
  return object::combine_groups<fn::group_intersection>(a, b, out, object::group_intersection);
}
inline int group_difference(MPI_Group a, MPI_Group b, MPI_Group* out) noexcept {
  return object::combine_groups<fn::group_difference>(a, b, out, object::group_difference);
}
inline int group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* out) noexcept {
  return object::select_ranks<fn::group_incl>(group, n, ranks, out, object::include);
}
inline int group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* out) noexcept {
  return object::select_ranks<fn::group_excl>(group, n, ranks, out, object::exclude);
}
inline int group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* out) noexcept {
  return object::select_ranges<fn::group_range_incl>(group, n, ranges, out, object::include);
}
inline int group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* out) noexcept {
  return object::select_ranges<fn::group_range_excl>(group, n, ranges, out, object::exclude);
}
/// MPI_GROUP_EMPTY may be freed: the functions above return it.
inline int group_free(MPI_Group* group) noexcept {
  if (group == nullptr || object::ranks_of_group(*group) == nullptr) return object::fail_group(fn::group_free::id);
  if (vid::entry<kind::group>* const e = resolve<kind::group>(*group).e) vid::table<kind::group>().erase(*e);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

}  // namespace mana::manual
