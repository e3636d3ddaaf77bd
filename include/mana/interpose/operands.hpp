// A collective keeps the datatypes and the operation that it names (object/request/operands.hpp). While an object is
// kept, the program's handle can be resolved, even if the program has freed it. So a call that parked before its start
// translates its arguments again with the same result.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/call/function.hpp>
#include <mana/call/library.hpp>
#include <mana/object/comm/topology_math.hpp>
#include <mana/object/request/pool.hpp>

#include <cstdlib>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mana::interpose {

/// Position of the first parameter of the given kind.
template <class Kind, class Tuple, std::size_t I = 0>
consteval std::size_t position_of() {
  if constexpr (std::is_same_v<typename std::tuple_element_t<I, Tuple>::kind, Kind>) return I;
  else return position_of<Kind, Tuple, I + 1>();
}

/// Entries of the argument at this position, if it is an array of datatypes. If there are two arrays, the first has the
/// datatypes of the sent data.
template <class Params, std::size_t At>
[[gnu::always_inline]] inline int entries_at([[maybe_unused]] object::neighbour_counts members) noexcept {
  if constexpr (!std::is_same_v<typename std::tuple_element_t<At, Params>::kind, kind::datatype>) return 0;
  else return At == position_of<kind::datatype, Params>() ? members.send : members.recv;
}

/// Entries of a collective's arrays over ranks, or over neighbours.
template <class Fn>
inline object::neighbour_counts array_members(const descriptor<kind::comm>& comm) noexcept {
  if constexpr (Fn::facts.neighbours) return object::neighbours_in(comm);
  else return {comm.peers->size, comm.peers->size};
}

/// Whether an argument may name an object whose references are counted.
template <class Param, class A>
[[gnu::always_inline]] inline bool may_name_object([[maybe_unused]] const A& given) noexcept {
  using K = typename Param::kind;
  if constexpr (!std::is_same_v<K, kind::datatype> && !std::is_same_v<K, kind::op>) return false;
  else if constexpr (Param::is_array) return true;
  else return app::may_be_virt<K>(given);
}
template <class Fn, class... A>
[[gnu::always_inline]] inline bool may_name_objects(const A&... given) noexcept {
  return []<class... P>(std::tuple<P...>*, const auto&... g) {
    return (int{may_name_object<P>(g)} | ...) != 0;
  }(static_cast<typename Fn::params::as_tuple*>(nullptr), given...);
}

/// Keeps a datatype. A datatype that is not significant may be anything. out: its name; 0 if no references are counted
inline std::uint32_t keep_named(MPI_Datatype handle) noexcept {
  const resolved<kind::datatype> found = resolve<kind::datatype>(handle);
  if (found.e == nullptr) return 0;
  count_up(found.e->references, call::library().callers);
  return name_of(found);
}

/// Adds datatypes to the kept ones. out: false: no memory
inline bool keep_array(object::operands& names, const MPI_Datatype* handles, int n) noexcept {
  if (handles == nullptr || n <= 0) return true;
  const std::uint32_t before = names.types != nullptr ? names.types->size : 0;
  const std::size_t all = before + static_cast<std::size_t>(n);
  auto* const list = static_cast<object::type_list*>(
      std::realloc(names.types, sizeof(object::type_list) + all * sizeof(std::uint32_t)));
  if (list == nullptr) return false;
  names.types = list;
  for (int i = 0; i < n; ++i) list->names[before + static_cast<std::uint32_t>(i)] = keep_named(handles[i]);
  list->size = static_cast<std::uint32_t>(all);
  return true;
}

/// Keeps the object that one argument names. out: false: no memory
template <class Param, class A>
inline bool keep_argument([[maybe_unused]] object::operands& names, [[maybe_unused]] A given,
                          [[maybe_unused]] int entries) noexcept {
  using K = typename Param::kind;
  if constexpr (std::is_same_v<K, kind::op>) {
    const resolved<kind::op> found = resolve<kind::op>(given);
    if (found.e == nullptr) return true;
    object::keep_op(*found.e);
    names.op = name_of(found);
  } else if constexpr (std::is_same_v<K, kind::datatype>) {
    if constexpr (Param::is_array) return keep_array(names, given, entries);
    else (names.datatype == 0 ? names.datatype : names.other_datatype) = keep_named(given);
  }
  return true;
}

/// Keeps the objects that the arguments of a collective name. Out of line: most programs' collectives name no object
/// whose references are counted.
/// out: neutral error class; after an error, `names` has the objects that were kept before it
template <class Fn, class... A>
[[gnu::noinline, gnu::cold]] int keep_operands(object::operands& names, const descriptor<kind::comm>& comm,
                                               A... args) noexcept {
  using params = typename Fn::params::as_tuple;
  const object::neighbour_counts members = array_members<Fn>(comm);
  const std::tuple<A...> given(args...);
  const bool ok = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (keep_argument<std::tuple_element_t<I, params>>(names, std::get<I>(given), entries_at<params, I>(members)) &&
            ...);
  }(std::index_sequence_for<A...>{});
  return ok ? int{neutral::success} : int{neutral::err_no_mem};
}

/// The objects that a blocking collective keeps. It keeps them only under MPI_THREAD_MULTIPLE, where another thread may
/// free them meanwhile.
class blocking_operands {
 public:
  [[gnu::always_inline]] blocking_operands() noexcept {
    if (!shares()) [[likely]] return;
    ::new (&names_) object::operands;
    names_.begin();
  }
  [[gnu::always_inline]] ~blocking_operands() {
    if (shares()) [[unlikely]] object::release_operands(names_);
  }
  blocking_operands(const blocking_operands&) = delete;
  blocking_operands& operator=(const blocking_operands&) = delete;

  /// out: neutral error class
  template <class Fn, class... A>
  [[gnu::always_inline]] int keep(const descriptor<kind::comm>& comm, const A&... args) noexcept {
    if (!shares()) [[likely]] return neutral::success;
    return may_name_objects<Fn>(args...) ? keep_operands<Fn>(names_, comm, args...) : int{neutral::success};
  }

 private:
  static bool shares() noexcept { return call::library().callers == turns::at_once; }
  union { object::operands names_; };
};

}  // namespace mana::interpose
