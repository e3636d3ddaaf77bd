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
  const vid::rank_map& ranks = *comm.e->what.ranks;

  auto neutral_args = wrap::translate_all<Fn>(wrap::array_members<Fn>(comm.e->what), std::index_sequence_for<A...>{}, given);
  int bad = std::apply([](const auto&... a) { int e = 0; ((e = e != 0 ? e : a.error()), ...); return e; }, neutral_args);
  if (bad != neutral::success) return raise(comm_handle, Fn::id, bad, "argument");

  auto* const slot = lower::the_bridge().mpi->*Fn::slot;
  if (slot == nullptr)
    return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, "the MPI library below does not have it");
  if constexpr (Fn::form == shape::icollective) {
    // Only the request is written back, and only when the call succeeded.
    vid::entry<kind::request>* const request = wrap::new_request(vid::request_form::collective, ranks);
    if (request == nullptr) return raise(comm_handle, Fn::id, neutral::err_no_mem, "no free request id");
    wrap::start_collective(scope, *ranks.clock);
    const int rc = lower::cross([&] {
      return std::apply([&](auto&... a) { return slot(a.for_request(&request->real)...); }, neutral_args); });
    if (rc != neutral::success) {
      wrap::uncount_collective(*ranks.clock);
      wrap::free_request(*request);
      return raise(comm_handle, Fn::id, rc, nullptr);
    }
    std::apply([&](auto&... a) { (wrap::keep_for(a, request->what), ...); }, neutral_args);
    auto* const out = std::get<wrap::position_of<kind::request, typename params::as_tuple>()>(given);
    *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*request));
    return MPI_SUCCESS;
  } else {
    wrap::start_collective(scope, *ranks.clock);
    const int rc = lower::cross([&] {
      return std::apply([&](auto&... a) { return slot(a.value()...); }, neutral_args); });
    if (rc == neutral::success) [[likely]] return MPI_SUCCESS;
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
