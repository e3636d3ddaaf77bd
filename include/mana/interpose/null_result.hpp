// Results without a place. If MPI wants the address of a handle or a number, a null pointer is an error of the class
// MPI_ERR_ARG. It is found before the call has any effect.
#pragma once
#include <mana/call/function.hpp>
#include <mana/object/errhandler/calls.hpp>

#include <tuple>
#include <utility>

namespace mana::interpose {

template <class K, class... Kinds>
inline constexpr bool is_any_of = (std::is_same_v<K, Kinds> || ...);

/// True for a parameter whose address must not be null: of a single handle or number. Arrays, texts, statuses and
/// buffers may be null.
template <class Param>
consteval bool needs_address() noexcept {
  using k = typename Param::kind;
  constexpr bool is_handle = requires { k::code; };
  constexpr bool is_number = is_any_of<k, kind::integer, kind::count, kind::rank, kind::displacement, kind::tag>;
  return !Param::is_array && ((is_handle && Param::direction != dir::in) || (is_number && Param::direction == dir::out));
}

template <class Fn>
consteval bool checks_addresses() noexcept {
  return !Fn::facts.tool;        // the tools interface leaves out results without an address
}

template <class Param, class A>
[[gnu::always_inline]] inline bool is_missing([[maybe_unused]] A argument) noexcept {
  if constexpr (needs_address<Param>() && std::is_pointer_v<A>) return argument == nullptr;
  else return false;
}

template <class Fn, class... A, std::size_t... I>
[[gnu::always_inline]] inline bool lacks_address(std::index_sequence<I...>, A... args) noexcept {
  using params = typename Fn::params::as_tuple;
  return (is_missing<std::tuple_element_t<I, params>>(args) || ...);
}

/// The first argument that is a handle of kind K and no result, or `none`. The parameters tell: in some mpi.h all handles are
/// int.
template <class K, class Fn, std::size_t I = 0>
inline app::handle<K> handle_given(app::handle<K> none) noexcept { return none; }
template <class K, class Fn, std::size_t I = 0, class First, class... A>
inline app::handle<K> handle_given(app::handle<K> none, [[maybe_unused]] First first, A... rest) noexcept {
  using param = std::tuple_element_t<I, typename Fn::params::as_tuple>;
  if constexpr (std::is_same_v<typename param::kind, K> && param::direction == dir::in && !param::is_array) return first;
  else return handle_given<K, Fn, I + 1>(none, rest...);
}

/// A call that makes a communicator of groups alone has an error handler for it, which hears of errors too.
template <class Fn, class... A>
[[gnu::noinline, gnu::cold]] int raise_null_address(A... args) noexcept {
  constexpr const char* why = "a null pointer where a result is to go";
  const MPI_Comm comm = handle_given<kind::comm, Fn>(MPI_COMM_NULL, args...);
  if (comm != MPI_COMM_NULL) return raise(comm, Fn::id, neutral::err_arg, why);
  const MPI_Errhandler handler = handle_given<kind::errhandler, Fn>(MPI_ERRHANDLER_NULL, args...);
  using result = std::tuple_element_t<Fn::params::size - 1, typename Fn::params::as_tuple>;
  if constexpr (std::is_same_v<typename result::kind, kind::comm>)
    if (handler != MPI_ERRHANDLER_NULL) return object::raise_for_new(handler, Fn::id, neutral::err_arg, why);
  return raise(comm, Fn::id, neutral::err_arg, why);
}

}  // namespace mana::interpose

namespace mana {

/// Calls a wrapper written by hand, if its results have places. call: (args…) → the result in mana::manual; args: as in
/// mpi.h
template <class Fn, class Call, class... A>
[[gnu::always_inline]] inline auto call_manual(Call call, A... args) noexcept {
  if constexpr (std::is_same_v<decltype(call(args...)), int> && sizeof...(A) > 0 && Fn::params::size == sizeof...(A) &&
                interpose::checks_addresses<Fn>()) {
    if (interpose::lacks_address<Fn>(std::index_sequence_for<A...>{}, args...)) [[unlikely]]
      return interpose::raise_null_address<Fn>(args...);
  }
  return call(args...);
}

}  // namespace mana
