// Queries about windows, and data that programs attach to them: group, hints, name, attributes, error handler.
#pragma once
#include <mana/library/name.hpp>
#include <mana/object/attribute/calls.hpp>
#include <mana/object/group/calls.hpp>
#include <mana/object/info/calls.hpp>
#include <mana/object/win/error.hpp>
#include <mana/object/win/life.hpp>

#include <algorithm>
#include <cstring>

namespace mana::object {

/// Memory of a rank that this rank reaches by loads and stores. bytes: 0: it reaches none
struct reached_part {
  void* begin = nullptr;
  std::int64_t bytes = 0, unit = 1;
};

/// All members' memory of a shared window; of others the own. in: rank: MPI_PROC_NULL: the first that has memory
inline reached_part reach_part(const win_entry& e, int rank) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  if (e.what.flavor == win_flavor::shared) {
    const win_segment *const all = e.what.parts, *const end = all + ranks.size;
    const win_segment* const found =
        rank == MPI_PROC_NULL ? std::find_if(all, end, [](const win_segment& s) { return s.bytes > 0; }) : all + rank;
    if (found == end) return {};
    return {found->bytes > 0 ? e.what.shared.begin + found->offset : nullptr, found->bytes, found->unit};
  }
  // The first rank is the only one of which this rank knows that no other comes before it.
  if ((rank == MPI_PROC_NULL ? 0 : rank) != ranks.own_rank || e.what.bytes == 0) return {};
  return {e.what.base, e.what.bytes, e.what.wide_unit};
}

/// MPI_Win_shared_query. Before MPI-4.1, windows that do not share had only its error.
template <class Fn, class Unit>
inline int query_shared(MPI_Win win, int rank, MPI_Aint* bytes, Unit* unit, void* base) noexcept {
  return with_win<Fn>(win, [=](auto&, win_entry& e) {
    if (e.what.flavor == win_flavor::dynamic) return int{neutral::err_rma_flavor};
    if (const int rc = check_target(e, rank); rc != neutral::success) return rc;
    const reached_part part = reach_part(e, rank);
    *bytes = part.bytes;
    *unit = static_cast<Unit>(part.unit);
    std::memcpy(base, &part.begin, sizeof part.begin);
    return int{neutral::success};
  });
}

/// A predefined attribute: its address for C, its bits for Fortran. known: the key is one
struct own_attribute {
  bool known = true;
  void* pointer = nullptr;
  std::int64_t bits = 0;
};
inline own_attribute own_attribute_of(win_entry& e, int key) noexcept {
  descriptor<kind::win>& w = e.what;
  switch (key) {
    case MPI_WIN_BASE: return {true, w.base, reinterpret_cast<std::int64_t>(w.base)};
    case MPI_WIN_SIZE: return {true, &w.bytes, w.bytes};
    case MPI_WIN_DISP_UNIT: return {true, &w.unit, w.unit};
    case MPI_WIN_CREATE_FLAVOR: return {true, &w.flavor_code, w.flavor_code};
    case MPI_WIN_MODEL: return {true, &w.model_code, w.model_code};
    default: return {false};
  }
}

/// in: value: a pointer, or from Fortran a number (std::int64_t)
template <class Value>
inline int set_win_attribute(MPI_Win win, int number, Value value) noexcept {
  return with_win<fn::win_set_attr>(win, [=](auto&, win_entry& e) {
    return put_attribute(e.what.attributes, kind_code::win, win, {number, value}); });
}
/// Calls store(pointer, bits) if there is a value.
template <class Store>
inline int get_win_attribute(MPI_Win win, int number, int* flag, Store&& store) noexcept {
  return with_win<fn::win_get_attr>(win, [&](auto&, win_entry& e) {
    const own_attribute own = own_attribute_of(e, number);
    if (own.known) {
      *flag = 1;
      store(own.pointer, own.bits);
      return int{neutral::success};
    }
    if (attribute_keys().find(number, kind_code::win) == nullptr) return int{neutral::err_keyval};
    const attribute* const a = e.what.attributes != nullptr ? e.what.attributes->find(number) : nullptr;
    *flag = a != nullptr;
    if (a != nullptr) store(a->value, a->bits());
    return int{neutral::success};
  });
}

}  // namespace mana::object

namespace mana::manual {

inline int win_shared_query(MPI_Win win, int rank, MPI_Aint* bytes, int* unit, void* base) noexcept {
  return object::query_shared<fn::win_shared_query>(win, rank, bytes, unit, base);
}
inline int win_shared_query_c(MPI_Win win, int rank, MPI_Aint* bytes, MPI_Aint* unit, void* base) noexcept {
  return object::query_shared<fn::win_shared_query_c>(win, rank, bytes, unit, base);
}
inline int win_get_group(MPI_Win win, MPI_Group* group) noexcept {
  return object::with_win<fn::win_get_group>(win, [=](auto&, object::win_entry& e) {
    return object::make_group(object::ranks_of(e), group); });
}

inline int win_set_info(MPI_Win win, MPI_Info info) noexcept {
  return object::with_win<fn::win_set_info>(win, [=](auto&, object::win_entry& e) {
    const object::info_store* const given = object::hints_of(info);
    if (given == nullptr) return int{neutral::err_info};
    object::take_hints(*object::hints_named(e.what.info), *given);
    return int{neutral::success};
  });
}
inline int win_get_info(MPI_Win win, MPI_Info* info) noexcept {
  return object::with_win<fn::win_get_info>(win, [=](auto&, object::win_entry& e) {
    return object::give_hints(object::hints_named(e.what.info), info); });
}

/// Cuts longer names, as MPI allows.
inline int win_set_name(MPI_Win win, const char* name) noexcept {
  return object::with_win<fn::win_set_name>(win, [=](auto&, object::win_entry& e) {
    if (name == nullptr) return int{neutral::err_arg};
    std::snprintf(e.what.name, MPI_MAX_OBJECT_NAME, "%s", name);
    return int{neutral::success};
  });
}
/// MPI_WIN_NULL has its own name (MPI-4.1 7.8).
inline int win_get_name(MPI_Win win, char* name, int* length) noexcept {
  if (win == MPI_WIN_NULL) return library::give_name("MPI_WIN_NULL", name, length);
  return object::with_win<fn::win_get_name>(win, [=](auto&, object::win_entry& e) {
    library::give_name(e.what.name, name, length);
    return int{neutral::success};
  });
}

inline int win_set_attr(MPI_Win win, int number, void* value) noexcept {
  return object::set_win_attribute(win, number, value);
}
inline int win_get_attr(MPI_Win win, int number, void* value, int* flag) noexcept {
  return object::get_win_attribute(win, number, flag,
                                   [=](void* found, std::int64_t) { std::memcpy(value, &found, sizeof found); });
}
inline int win_delete_attr(MPI_Win win, int number) noexcept {
  return object::with_win<fn::win_delete_attr>(win, [=](auto&, object::win_entry& e) {
    if (object::attribute_keys().find(number, kind_code::win) == nullptr) return int{neutral::err_keyval};
    if (e.what.attributes == nullptr) return int{neutral::err_other};
    return object::remove_attribute(*e.what.attributes, kind_code::win, win, number);
  });
}

inline int win_set_errhandler(MPI_Win win, MPI_Errhandler handler) noexcept {
  return object::with_win<fn::win_set_errhandler>(win, [=](auto&, object::win_entry& e) {
    const std::uint32_t name = object::attachable(handler, kind_code::win);
    if (name == 0) return int{neutral::err_errhandler};
    object::keep_errhandler(name);
    object::release_errhandler(e.what.errhandler);
    e.what.errhandler = name;
    return int{neutral::success};
  });
}
inline int win_get_errhandler(MPI_Win win, MPI_Errhandler* out) noexcept {
  return object::with_win<fn::win_get_errhandler>(win, [=](auto&, object::win_entry& e) {
    object::keep_errhandler(e.what.errhandler);      // the program frees the handle that it gets
    *out = object::errhandler_handle(object::errhandler_of(e.what));
    return int{neutral::success};
  });
}
/// Takes any code, of this mpi.h or added by the program. Returns MPI_SUCCESS if the handler returns.
inline int win_call_errhandler(MPI_Win win, int code) noexcept {
  const object::win_entry* const e = object::find_win(win);
  if (e == nullptr) return object::raise_win(win, fn::win_call_errhandler::id, neutral::err_win);
  object::run_errhandler(object::errhandler_of(e->what), win, code, fn::win_call_errhandler::id, "called by the application");
  return object::succeeds_after_handler;
}

}  // namespace mana::manual
