// The templates behind the generated wrappers, one for each shape. Each template translates, crosses, and translates
// back. So nothing of the upper half's libc runs under the lower half's thread pointer.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/call/function.hpp>
#include <mana/interpose/neutral_argument.hpp>
#include <mana/interpose/null_result.hpp>
#include <mana/interpose/operands.hpp>
#include <mana/object/comm/collective.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/comm/topology_math.hpp>
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/request/pool.hpp>

#include <mana/gen/lower_slots.hpp>

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

namespace mana {

namespace interpose {

/// Position of the last parameter of the given kind.
template <class Kind, class Tuple, std::size_t I = std::tuple_size_v<Tuple> - 1>
consteval std::size_t last_position_of() {
  if constexpr (std::is_same_v<typename std::tuple_element_t<I, Tuple>::kind, Kind>) return I;
  else return last_position_of<Kind, Tuple, I - 1>();
}

/// How many entries of arrays of datatypes the live MPI may read after a non-blocking call has returned; 0: the call is
/// over.
/// Open MPI 4.1 keeps datatypes of as many entries as there are neighbours. It does so in every collective on a
/// topology, and on a communicator that MPI_Comm_create_group makes of such a communicator: Open MPI takes that for one
/// with its parent's topology.
template <class Fn>
inline int read_later([[maybe_unused]] const descriptor<kind::comm>& comm) noexcept {
  if constexpr (Fn::form == shape::collective) return 0;
  else return std::max({comm.peers->size, object::comms().most_neighbours, 1});
}

template <class Fn, class... A, std::size_t... I>
[[gnu::always_inline]] inline auto translate_all(const descriptor<kind::comm>& comm, std::index_sequence<I...>,
                                                 const std::tuple<A...>& args) noexcept {
  using params = typename Fn::params::as_tuple;
  const object::neighbour_counts members = array_members<Fn>(comm);
  const int later = read_later<Fn>(comm);
  translated_array other;
  return std::tuple<neutral_argument<std::tuple_element_t<I, params>, A>...>(
      given<A>{std::get<I>(args), entries_at<params, I>(members), later, &other}...);
}

}  // namespace interpose

namespace interpose {

/// The native call. request: where a non-blocking call stores its request. The slot is read only here: it belongs to
/// the live lower half.
template <class Fn, class Arguments>
inline int enter_collective(Arguments& arguments, [[maybe_unused]] real<kind::request>* request) noexcept {
  auto* const slot = lower::the_bridge().mpi->*Fn::slot;
  return lower::cross([&] {
    return std::apply([&](auto&... a) {
      if constexpr (Fn::form == shape::icollective) return slot(a.for_request(request)...);
      else return slot(a.value()...);
    }, arguments);
  });
}

/// Returned instead of a neutral error class; those are all positive.
inline constexpr int clock_refuses = -1;

/// The clock that counts calls of this function on the communicator.
template <class Fn>
[[gnu::always_inline]] inline vid::group_clock& clock_of(descriptor<kind::comm>& comm) noexcept {
  if constexpr (Fn::form == shape::icollective) return object::clock_of_started(comm);
  else return *comm.clock;
}

/// Whether the caller must wait for others. A rank waits for all members in a barrier, and in a collective that brings
/// it data of each member: count > 0. If blocks differ in length (Allgatherv and the like), any block may be empty, so
/// the wait is not certain. In an intercommunicator nobody waits for its own group.
template <class Fn, class... A>
inline object::waiting waiting_of([[maybe_unused]] const descriptor<kind::comm>& comm,
                          [[maybe_unused]] const std::tuple<A...>& given) noexcept {
  using params [[maybe_unused]] = typename Fn::params;
  if constexpr (Fn::form == shape::icollective) return {.blocking = false, .waits_for_all = false};
  else if constexpr (Fn::facts.waits == waits_for_all::always) return {.blocking = true, .waits_for_all = !comm.is_inter()};
  else if constexpr (Fn::facts.waits == waits_for_all::when_count)
    return {.blocking = true,
            .waits_for_all = !comm.is_inter() &&
                             std::get<last_position_of<kind::count, typename params::as_tuple>()>(given) > 0};
  else return {};
}

/// The native call. It also keeps the objects that the request needs while it is under way.
template <class Fn, class Arguments>
[[gnu::always_inline]] inline int enter_for_request(Arguments& arguments, object::request_entry* request) noexcept {
  const int rc = enter_collective<Fn>(arguments, request != nullptr ? &request->real : nullptr);
  if (request != nullptr && rc == neutral::success)
    std::apply([&](auto&... a) { (keep_for(a, request->what), ...); }, arguments);
  return rc;
}

/// The rest of a collective that must park before it starts: a restart makes new real handles. Out of line, with the
/// arguments by value, so that calls which do not park keep none of them in memory.
template <class Fn, class... A>
[[gnu::noinline, gnu::cold]] int park_and_enter(vid::entry<kind::comm>& comm, object::request_entry* request,
                                                A... args) noexcept {
  // The thread is also in the caller's scope. A reference to that scope would make each call keep it in memory, so this
  // is a second one.
  call::wrapper_scope scope(Fn::id);
  const std::tuple<A...> given(args...);
  scope.park_here();
  if (!object::start_collective(scope, clock_of<Fn>(comm.what), &comm,
                                [&] { return waiting_of<Fn>(comm.what, given); }))
    return clock_refuses;
  auto translated = translate_all<Fn>(comm.what, std::index_sequence_for<A...>{}, given);
  return enter_for_request<Fn>(translated, request);
}

/// Counts the collective, waits if it must, makes the call. translated: the arguments, translated with the current
/// handles
/// errors: clock_refuses; then the collective is not counted
template <class Fn, class Arguments, class... A>
[[gnu::always_inline]] inline int start_and_enter(vid::entry<kind::comm>& comm, Arguments& translated,
                                                  object::request_entry* request, A... args) noexcept {
  [[maybe_unused]] const auto how = [&] { return waiting_of<Fn>(comm.what, std::tuple<A...>(args...)); };
  const object::start_outcome now = object::try_start(clock_of<Fn>(comm.what), &comm, how);
  if (now == object::start_outcome::may_start) [[likely]] return enter_for_request<Fn>(translated, request);
  return now == object::start_outcome::park ? park_and_enter<Fn>(comm, request, args...) : clock_refuses;
}

}  // namespace interpose

/// Shapes `collective` and `icollective`. args: as in mpi.h
/// errors: MPI_ERR_COMM for a communicator that is null, stale or foreign; the class of its kind for other handles;
///         then the live MPI's errors. Each goes through the communicator's error handler.
template <class Fn, class... A>
inline int call_collective(A... args) noexcept {
  using params = typename Fn::params;
  if (interpose::lacks_address<Fn>(std::index_sequence_for<A...>{}, args...)) [[unlikely]]
    return interpose::raise_null_address<Fn>(args...);
  call::wrapper_scope scope(Fn::id);
  const std::tuple<A...> given(args...);
  const auto comm_handle = std::get<interpose::position_of<kind::comm, typename params::as_tuple>()>(given);
  const resolved<kind::comm> comm = resolve<kind::comm>(comm_handle);
  if (!comm.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, "communicator");
  auto translated =
      interpose::translate_all<Fn>(comm.e->what, std::index_sequence_for<A...>{}, given);
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
    vid::entry<kind::request>* const request = object::new_collective(*comm.e);
    if (request == nullptr) return raise(comm_handle, Fn::id, neutral::err_no_mem, object::no_request_id);
    request->what.state = object::request_stage::inactive;          // nothing to complete while it waits for its start
    if (interpose::may_name_objects<Fn>(args...)) [[unlikely]] {
      request->what.keep_more();
      if (interpose::keep_operands<Fn>(request->what.names, comm.e->what, args...) != neutral::success) {
        object::free_request(*request);
        return raise(comm_handle, Fn::id, neutral::err_no_mem, "no memory for a list of datatypes");
      }
    }
    const int rc = interpose::start_and_enter<Fn>(*comm.e, translated, request, args...);
    if (rc != neutral::success) {
      object::free_request(*request);
      if (rc == interpose::clock_refuses)
        return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, object::refused_by_clock);
      object::retract_collective(interpose::clock_of<Fn>(comm.e->what));
      return raise(comm_handle, Fn::id, rc, nullptr);
    }
    request->what.state = object::request_stage::active;
    auto* const out = std::get<interpose::position_of<kind::request, typename params::as_tuple>()>(given);
    *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*request));
    return MPI_SUCCESS;
  } else {
    interpose::blocking_operands kept;
    if (kept.keep<Fn>(comm.e->what, args...) != neutral::success)
      return raise(comm_handle, Fn::id, neutral::err_no_mem, "no memory for a list of datatypes");
    const int rc = interpose::start_and_enter<Fn>(*comm.e, translated, nullptr, args...);
    if (rc == neutral::success) [[likely]] return MPI_SUCCESS;
    if (rc == interpose::clock_refuses)
      return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, object::refused_by_clock);
    object::retract_if_refused(interpose::clock_of<Fn>(comm.e->what), rc);
    return raise(comm_handle, Fn::id, rc, nullptr);
  }
}

/// Shape `refuse`: calls the error handler of MPI_COMM_WORLD. A handler that ends the job prints the reason. If the
/// program continues with an error code, the reason is printed here, once in a process.
template <class Fn, class... A>
[[gnu::cold]] int refuse([[maybe_unused]] A... args) noexcept {
  static constinit std::atomic<bool> said{false};
  call::wrapper_scope scope(Fn::id);
  if (!object::ends_the_job(object::comms().world.what.errhandler) && !said.exchange(true))
    object::say_refused(function_name(Fn::id), Fn::why);
  return raise(MPI_COMM_WORLD, Fn::id, neutral::err_unsupported_operation, Fn::why);
}

template <class Fn, class... A>
inline int interposed(A... args) noexcept {
  static_assert(Fn::form == shape::collective || Fn::form == shape::icollective,
                "functions of other shapes have a template or a manual wrapper of their own");
  return call_collective<Fn>(args...);
}

}  // namespace mana
