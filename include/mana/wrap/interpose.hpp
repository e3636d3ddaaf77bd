// The templates behind the generated wrappers: one per shape. Order in each, by construction: translate, cross,
// translate back; nothing of the upper half's libc runs under the lower half's thread pointer.
#pragma once
#include <mana/wrap/argument.hpp>
#include <mana/wrap/collective.hpp>
#include <mana/wrap/function.hpp>
#include <mana/wrap/manual/errhandler.hpp>
#include <mana/wrap/neutral_argument.hpp>
#include <mana/wrap/request_pool.hpp>

#include <mana/gen/lower_slots.hpp>

#include <tuple>
#include <utility>

namespace mana {

namespace wrap {

/// Position of the first parameter of the given kind.
template <class Kind, class Tuple, std::size_t I = 0>
consteval std::size_t position_of() {
  if constexpr (std::is_same_v<typename std::tuple_element_t<I, Tuple>::kind, Kind>) return I;
  else return position_of<Kind, Tuple, I + 1>();
}

/// Position of the last one.
template <class Kind, class Tuple, std::size_t I = std::tuple_size_v<Tuple> - 1>
consteval std::size_t last_position_of() {
  if constexpr (std::is_same_v<typename std::tuple_element_t<I, Tuple>::kind, Kind>) return I;
  else return last_position_of<Kind, Tuple, I - 1>();
}

template <class Fn, class... A, std::size_t... I>
inline auto translate_all(int members, std::index_sequence<I...>, const std::tuple<A...>& args) noexcept {
  return std::tuple<neutral_argument<std::tuple_element_t<I, typename Fn::params::as_tuple>, A>...>(
      given<A>{std::get<I>(args), members, Fn::form == shape::icollective}...);
}

/// Entries of a collective's arrays over ranks.
template <class Fn>
inline int array_members(const vid::descriptor<kind::comm>& comm) noexcept {
  if constexpr (is_neighbor(Fn::name)) return comm.topology != nullptr ? 2 * comm.topology->ndims : 0;
  return comm.ranks->size;
}

}  // namespace wrap

namespace wrap {

/// The native call. real: where a non-blocking one leaves its request. Reads the slot now: it is the live lower half's.
template <class Fn, class Arguments>
inline int enter_collective(Arguments& arguments, [[maybe_unused]] std::uint64_t* real) noexcept {
  auto* const slot = lower::the_bridge().mpi->*Fn::slot;
  return lower::cross([&] {
    return std::apply([&](auto&... a) {
      if constexpr (Fn::form == shape::icollective) return slot(a.for_request(real)...);
      else return slot(a.value()...);
    }, arguments);
  });
}

/// In the place of a neutral error class, all of which are positive.
inline constexpr int clock_refuses = -1;

/// A rank is sure to wait for all members where it gets something of each. Not of blocks of different lengths, which may
/// be empty.
template <class Fn, class... A>
inline waiting waiting_of([[maybe_unused]] const std::tuple<A...>& given) noexcept {
  using params [[maybe_unused]] = typename Fn::params;
  if constexpr (Fn::form == shape::icollective) return {.blocking = false, .waits_for_all = false};
  else if constexpr (Fn::name == "MPI_Barrier") return {.blocking = true, .waits_for_all = true};
  else if constexpr (gets_of_all(Fn::name))
    return {.blocking = true,
            .waits_for_all = std::get<last_position_of<kind::count, typename params::as_tuple>()>(given) > 0};
  else return {};
}

/// Counts the collective, waits where it has to, makes the call. translated: arguments as they are now
/// errors: clock_refuses; then it is not counted
template <class Fn, class Arguments, class Translate, class How>
inline int count_and_enter(wrapper_scope& scope, vid::entry<kind::comm>& comm, Arguments& translated,
                           Translate&& translate, request_entry* request, How&& how) noexcept {
  std::uint64_t* const real = request != nullptr ? &request->real : nullptr;
  const start_outcome started = start_collective(scope, *comm.what.clock, &comm.real, how);
  const auto enter = [&](auto& arguments) noexcept {
    const int rc = enter_collective<Fn>(arguments, real);
    if (request != nullptr && rc == neutral::success)
      std::apply([&](auto&... a) { (keep_for(a, request->what), ...); }, arguments);
    return rc;
  };
  if (started == start_outcome::at_once) [[likely]] return enter(translated);
  if (started == start_outcome::refused) return clock_refuses;
  auto again = translate();         // a restart made new real handles
  return enter(again);
}

}  // namespace wrap

/// Shapes `collective` and `icollective`. args: as in mpi.h
/// errors: MPI_ERR_COMM for a communicator that is null, stale or foreign; the class of its kind for other handles;
///         then what the live MPI says. Each goes through the communicator's error handler.
template <class Fn, class... A>
inline int call_collective(A... args) noexcept {
  using params = typename Fn::params;
  wrap::wrapper_scope scope(Fn::id);
  const std::tuple<A...> given(args...);
  const auto comm_handle = std::get<wrap::position_of<kind::comm, typename params::as_tuple>()>(given);
  const resolved<kind::comm> comm = resolve<kind::comm>(comm_handle);
  if (!comm.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, "communicator");
  const auto how = [&]() noexcept { return wrap::waiting_of<Fn>(given); };
  const auto translate = [&]() noexcept {
    return wrap::translate_all<Fn>(wrap::array_members<Fn>(comm.e->what), std::index_sequence_for<A...>{}, given); };
  auto translated = translate();
  const int bad = std::apply(
      [](const auto&... a) {
        int e = 0;
        ((e = e != 0 ? e : a.error()), ...);
        return e;
      },
      translated);
  if (bad != neutral::success) return raise(comm_handle, Fn::id, bad, "argument");
  if (lower::the_bridge().mpi->*Fn::slot == nullptr)
    return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, "the MPI library below does not have it");

  if constexpr (Fn::form == shape::icollective) {
    // Only the request is written back, and only when the call succeeded.
    vid::entry<kind::request>* const request = wrap::new_request(vid::request_form::collective, *comm.e->what.ranks);
    if (request == nullptr) return raise(comm_handle, Fn::id, neutral::err_no_mem, "no free request id");
    request->what.state = vid::request_state::inactive;          // nothing to complete while it waits for its start
    const int rc = wrap::count_and_enter<Fn>(scope, *comm.e, translated, translate, request, how);
    if (rc != neutral::success) {
      wrap::free_request(*request);
      if (rc == wrap::clock_refuses)
        return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, wrap::refused_by_clock);
      wrap::uncount_collective(*comm.e->what.clock);
      return raise(comm_handle, Fn::id, rc, nullptr);
    }
    request->what.state = vid::request_state::active;
    auto* const out = std::get<wrap::position_of<kind::request, typename params::as_tuple>()>(given);
    *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*request));
    return MPI_SUCCESS;
  } else {
    const int rc = wrap::count_and_enter<Fn>(scope, *comm.e, translated, translate, nullptr, how);
    if (rc == neutral::success) [[likely]] return MPI_SUCCESS;
    if (rc == wrap::clock_refuses)
      return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, wrap::refused_by_clock);
    return raise(comm_handle, Fn::id, rc, nullptr);
  }
}

/// Shape `refuse`: the error handler of the communicator in the arguments, or of MPI_COMM_WORLD, hears the reason.
template <class Fn, class... A>
inline int refuse([[maybe_unused]] A... args) noexcept {
  wrap::wrapper_scope scope(Fn::id);
  return raise(MPI_COMM_WORLD, Fn::id, neutral::err_unsupported_operation, Fn::why);
}

template <class Fn, class... A>
inline int interpose(A... args) noexcept {
  static_assert(Fn::form == shape::collective || Fn::form == shape::icollective,
                "functions of other shapes have a template or a manual wrapper of their own");
  return call_collective<Fn>(args...);
}

}  // namespace mana
