// Put, Get, Accumulate and their relatives. The live MPI carries them out; each marks its window and target as dirty.
#pragma once
#include <mana/object/datatype/predefined.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/object/win/error.hpp>
#include <mana/object/win/live.hpp>

#include <type_traits>

namespace mana::object {

/// Data of one side of an operation.
struct one_side {
  std::int64_t count;
  MPI_Datatype type;
};

/// The arguments of an operation, translated. The target is the last side.
template <std::size_t Sides>
struct operation {
  real<kind::win> win;
  int target = 0;
  std::intptr_t at = 0;      // displacement in the live window
  real<kind::datatype> types[Sides];
  real<kind::op> op;
};

/// Most operations have one type: it is looked up once.      out: neutral error class
template <std::size_t Sides>
[[gnu::always_inline]] inline int translate_side(const one_side (&sides)[Sides], std::size_t i,
                                                 real<kind::datatype> (&types)[Sides]) noexcept {
  if (sides[i].count < 0) return neutral::err_count;
  if (i > 0 && sides[i].type == sides[i - 1].type) {
    types[i] = types[i - 1];
    return neutral::success;
  }
  const resolved<kind::datatype> found = resolve_type(sides[i].type);
  if (!found.ok) return neutral::err_type;
  types[i] = found.real;
  return neutral::success;
}

/// Only predefined operations are allowed.
inline int translate_op(MPI_Op given, real<kind::op>& op) noexcept {
  const resolved<kind::op> found = resolve<kind::op>(given);
  if (!found.ok || found.e != nullptr || found.predefined_code == neutral::op_null) return neutral::err_op;
  op = found.real;
  return neutral::success;
}

template <std::size_t Sides>
[[gnu::always_inline]] inline int translate_operation(win_entry& e, int target, std::int64_t displacement, const one_side (&sides)[Sides],
                               operation<Sides>& out) noexcept {
  int rc = neutral::success;
  for (std::size_t i = 0; i < Sides && rc == neutral::success; ++i) rc = translate_side(sides, i, out.types);
  if (rc == neutral::success) rc = check_target(e, target);
  if (rc != neutral::success || target == MPI_PROC_NULL) return rc;
  if (displacement < 0 && e.what.flavor != win_flavor::dynamic) return neutral::err_disp;
  rc = with_epochs(e, [&](win_epochs& epochs) { return use_epoch(epochs, bits_of_target(e, target)); });
  if (rc != neutral::success) return rc;
  out.win = e.real;
  out.target = target;
  out.at = live_displacement(e, target, displacement);
  return neutral::success;
}

/// A request of MPI_Rput and its like, which the live MPI completes. out: nullptr if all ids are in use
inline request_entry* new_one_sided(const win_entry& e) noexcept {
  return new_request(*e.what.on, [](auto& r) { r.begin_one_sided(); });
}

/// start(operation, request) runs in the upper half, and crosses. op: nullptr: it has none      request: nullptr: it has none
template <class Fn, std::size_t Sides, class Start>
[[gnu::always_inline]] inline int operate(MPI_Win win, int target, std::int64_t displacement, const one_side (&sides)[Sides], const MPI_Op* op,
                   MPI_Request* request, Start&& start) noexcept {
  return with_win<Fn>(win, [&](auto&, win_entry& e) __attribute__((always_inline)) {
    operation<Sides> translated;
    int rc = op != nullptr ? translate_op(*op, translated.op) : int{neutral::success};
    if (rc == neutral::success) rc = translate_operation(e, target, displacement, sides, translated);
    if (rc != neutral::success || (request == nullptr && target == MPI_PROC_NULL)) return rc;
    request_entry* const made = request != nullptr ? new_one_sided(e) : nullptr;
    if (request != nullptr && made == nullptr) return int{neutral::err_no_mem};
    if (target == MPI_PROC_NULL) made->what.state = request_stage::done;
    else {
      rc = start(translated, made != nullptr ? &made->real : nullptr);
      mark_dirty(e, target);
    }
    if (rc != neutral::success) {
      if (made != nullptr) free_request(*made);
      return rc;
    }
    if (made != nullptr) *request = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*made));
    return rc;
  });
}

/// Calls the live MPI's function with counts of the program's type: numbers that are int fit the form that every MPI has.
template <class Count, class Large, class Small, class Call>
[[gnu::always_inline]] inline int call_with_counts(Large large, Small small, std::initializer_list<std::int64_t> counts,
                                                   Call&& call) noexcept {
  if constexpr (!std::is_same_v<Count, int>) return call::narrow_call(large, small, counts, call);
  if (small == nullptr) [[unlikely]] return neutral::err_unsupported_operation;
  return lower::cross([&]() __attribute__((always_inline)) { return call(small, int{0}); });
}

/// MPI_NO_OP reads no origin, and its arguments may be anything.
inline one_side origin_for(MPI_Op op, std::int64_t count, MPI_Datatype type) noexcept {
  return op == MPI_NO_OP ? one_side{0, MPI_BYTE} : one_side{count, type};
}

}  // namespace mana::object

namespace mana::manual {

// Each operation with int and with MPI_Count counts, with and without a request. `live` is the live MPI's function.
#define MANA_MOVES(name, live, suffix, count_type, buffer, request_parameter, request_argument, ...)           \
  inline int name##suffix(buffer b, count_type n, MPI_Datatype t, int target, MPI_Aint at, count_type tn,      \
                          MPI_Datatype tt, MPI_Win w request_parameter) noexcept {                             \
    return object::operate<fn::name##suffix>(w, target, at, {{n, t}, {tn, tt}}, nullptr, request_argument,     \
        [&](const auto& o, [[maybe_unused]] real<kind::request>* made) noexcept {                              \
          const lower::mpi_slots& mpi = object::live_mpi();                                                    \
          return object::call_with_counts<count_type>(mpi.live##_c, mpi.live, {n, tn}, [&]<class N>(auto* slot, N) noexcept { \
            return slot(b, static_cast<N>(n), o.types[0], o.target, o.at, static_cast<N>(tn), o.types[1],        \
                        o.win __VA_OPT__(,) __VA_ARGS__); });                                                  \
        });                                                                                                    \
  }
#define MANA_ACCUMULATES(name, live, suffix, count_type, request_parameter, request_argument, ...)             \
  inline int name##suffix(const void* b, count_type n, MPI_Datatype t, int target, MPI_Aint at, count_type tn, \
                          MPI_Datatype tt, MPI_Op op, MPI_Win w request_parameter) noexcept {                  \
    return object::operate<fn::name##suffix>(w, target, at, {{n, t}, {tn, tt}}, &op, request_argument,         \
        [&](const auto& o, [[maybe_unused]] real<kind::request>* made) noexcept {                              \
          const lower::mpi_slots& mpi = object::live_mpi();                                                    \
          return object::call_with_counts<count_type>(mpi.live##_c, mpi.live, {n, tn}, [&]<class N>(auto* slot, N) noexcept { \
            return slot(b, static_cast<N>(n), o.types[0], o.target, o.at, static_cast<N>(tn), o.types[1], o.op,  \
                        o.win __VA_OPT__(,) __VA_ARGS__); });                                                  \
        });                                                                                                    \
  }
#define MANA_GET_ACCUMULATES(name, live, suffix, count_type, request_parameter, request_argument, ...)         \
  inline int name##suffix(const void* b, count_type n, MPI_Datatype t, void* result, count_type rn,            \
                          MPI_Datatype rt, int target, MPI_Aint at, count_type tn, MPI_Datatype tt, MPI_Op op, \
                          MPI_Win w request_parameter) noexcept {                                              \
    const object::one_side from = object::origin_for(op, n, t);                                                \
    return object::operate<fn::name##suffix>(w, target, at, {from, {rn, rt}, {tn, tt}}, &op, request_argument, \
        [&](const auto& o, [[maybe_unused]] real<kind::request>* made) noexcept {                              \
          const lower::mpi_slots& mpi = object::live_mpi();                                                    \
          return object::call_with_counts<count_type>(mpi.live##_c, mpi.live, {from.count, rn, tn},            \
                                   [&]<class N>(auto* slot, N) noexcept {                                      \
            return slot(b, static_cast<N>(from.count), o.types[0], result, static_cast<N>(rn), o.types[1],     \
                        o.target, o.at, static_cast<N>(tn), o.types[2], o.op, o.win __VA_OPT__(,) __VA_ARGS__); }); \
        });                                                                                                    \
  }
#define MANA_REQUEST , MPI_Request* r
#define MANA_OPERATIONS(suffix, count_type)                                                      \
  MANA_MOVES(put, MPI_Put, suffix, count_type, const void*, , nullptr)                           \
  MANA_MOVES(get, MPI_Get, suffix, count_type, void*, , nullptr)                                 \
  MANA_MOVES(rput, MPI_Rput, suffix, count_type, const void*, MANA_REQUEST, r, made)             \
  MANA_MOVES(rget, MPI_Rget, suffix, count_type, void*, MANA_REQUEST, r, made)                   \
  MANA_ACCUMULATES(accumulate, MPI_Accumulate, suffix, count_type, , nullptr)                    \
  MANA_ACCUMULATES(raccumulate, MPI_Raccumulate, suffix, count_type, MANA_REQUEST, r, made)      \
  MANA_GET_ACCUMULATES(get_accumulate, MPI_Get_accumulate, suffix, count_type, , nullptr)        \
  MANA_GET_ACCUMULATES(rget_accumulate, MPI_Rget_accumulate, suffix, count_type, MANA_REQUEST, r, made)

MANA_OPERATIONS(, int)
MANA_OPERATIONS(_c, MPI_Count)
#undef MANA_OPERATIONS
#undef MANA_REQUEST
#undef MANA_GET_ACCUMULATES
#undef MANA_ACCUMULATES
#undef MANA_MOVES

inline int fetch_and_op(const void* from, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
                        MPI_Win win) noexcept {
  return object::operate<fn::fetch_and_op>(win, target, at, {{1, type}}, &op, nullptr, [&](const auto& o, auto*) noexcept {
    return lower::cross([&] {
      return object::live_mpi().MPI_Fetch_and_op(from, result, o.types[0], o.target, o.at, o.op, o.win); }); });
}
inline int compare_and_swap(const void* from, const void* expected, void* result, MPI_Datatype type, int target,
                            MPI_Aint at, MPI_Win win) noexcept {
  return object::operate<fn::compare_and_swap>(win, target, at, {{1, type}}, nullptr, nullptr, [&](const auto& o, auto*) noexcept {
    return lower::cross([&] {
      return object::live_mpi().MPI_Compare_and_swap(from, expected, result, o.types[0], o.target, o.at, o.win); }); });
}

}  // namespace mana::manual
