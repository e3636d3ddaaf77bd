// Null pointers that MPI does not allow: for a handle, a number, a text or an address that is a result, for a status that is
// read, for requests. They are errors of the class MPI_ERR_ARG, found before the call has any effect.
#pragma once
#include <mana/call/function.hpp>
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/session/error.hpp>

#include <tuple>
#include <utility>

// In win/error.hpp: that folder includes this one.
namespace mana::object { [[gnu::cold]] inline int raise_win(MPI_Win, function_id f, int neutral_class, const char* detail) noexcept; }

namespace mana::interpose {

template <class K, class... Kinds>
inline constexpr bool is_any_of = (std::is_same_v<K, Kinds> || ...);

/// True for a parameter whose address must not be null: of a single handle, number, text or address that is a result, and of
/// a status that is read. Arrays, buffers and statuses that are results may be null, and so may the level that
/// MPI_Init_thread gives.
template <class Fn, class Param>
consteval bool needs_address() noexcept {
  using k = typename Param::kind;
  constexpr bool is_handle = requires { k::code; };
  constexpr bool is_out = is_any_of<k, kind::integer, kind::count, kind::rank, kind::displacement, kind::tag, kind::text, kind::address> ||
                          (std::is_same_v<k, kind::thread_level> && Fn::id != function_id::MPI_Init_thread);
  constexpr bool is_read = std::is_same_v<k, kind::status> && Param::direction != dir::out;
  return !Param::is_array && ((is_handle && Param::direction != dir::in) || (is_out && Param::direction == dir::out) || is_read);
}

/// True where the capacity of the text that is parameter I is a number before it, which the call changes. Where it is 0, the
/// text may be null.
template <class Fn, std::size_t I>
consteval bool has_capacity() noexcept {
  using params = typename Fn::params::as_tuple;
  if constexpr (I == 0) return false;
  else
    return std::is_same_v<typename std::tuple_element_t<I, params>::kind, kind::text> &&
           std::is_same_v<typename std::tuple_element_t<I - 1, params>::kind, kind::integer> &&
           std::tuple_element_t<I - 1, params>::direction == dir::inout;
}

/// True for the calls whose first two parameters are a number of requests and these.
template <class Fn>
consteval bool takes_requests() noexcept {
  if constexpr (Fn::params::size < 2) return false;
  else {
    using second = std::tuple_element_t<1, typename Fn::params::as_tuple>;
    return second::is_array && std::is_same_v<typename second::kind, kind::request>;
  }
}

template <class Fn>
consteval bool checks_addresses() noexcept {
  return !Fn::facts.tool;        // the tools interface leaves out results without an address
}

template <class Fn, std::size_t I, class... A>
[[gnu::always_inline]] inline bool is_missing([[maybe_unused]] const std::tuple<A...>& arguments) noexcept {
  using param = std::tuple_element_t<I, typename Fn::params::as_tuple>;
  if constexpr (needs_address<Fn, param>() && std::is_pointer_v<std::tuple_element_t<I, std::tuple<A...>>>) {
    const auto argument = std::get<I>(arguments);
    if constexpr (std::is_same_v<typename param::kind, kind::status>)
      return argument == nullptr || argument == MPI_STATUS_IGNORE;
    else if constexpr (has_capacity<Fn, I>())
      return std::get<I - 1>(arguments) == nullptr || (*std::get<I - 1>(arguments) > 0 && argument == nullptr);
    else
      return argument == nullptr;
  } else if constexpr (takes_requests<Fn>() && I == 1) {
    return std::get<1>(arguments) == nullptr && std::get<0>(arguments) > 0;
  } else {
    return false;
  }
}

template <class Fn, class... A, std::size_t... I>
[[gnu::always_inline]] inline bool lacks_address(std::index_sequence<I...>, A... args) noexcept {
  const std::tuple<A...> arguments(args...);
  return (is_missing<Fn, I>(arguments) || ...);
}

/// A parameter for a handle of kind K that the call is given.
template <class K, class Param>
inline constexpr bool is_given = std::is_same_v<typename Param::kind, K> && Param::direction == dir::in && !Param::is_array;

/// The first argument that is a handle of kind K and no result, or `none`. The parameters tell: in some mpi.h all handles are
/// int.
template <class K, class Fn, std::size_t I = 0>
inline app::handle<K> handle_given(app::handle<K> none) noexcept { return none; }
template <class K, class Fn, std::size_t I = 0, class First, class... A>
inline app::handle<K> handle_given(app::handle<K> none, [[maybe_unused]] First first, A... rest) noexcept {
  using param = std::tuple_element_t<I, typename Fn::params::as_tuple>;
  if constexpr (is_given<K, param>) return first;
  else return handle_given<K, Fn, I + 1>(none, rest...);
}

/// A call that makes a communicator of groups alone has an error handler for it, which hears of errors too.
template <class Fn, class... A>
[[gnu::noinline, gnu::cold]] int raise_null_address(A... args) noexcept {
  constexpr const char* why = "a null pointer that MPI does not allow";
  using first = std::tuple_element_t<0, typename Fn::params::as_tuple>;
  using last = std::tuple_element_t<Fn::params::size - 1, typename Fn::params::as_tuple>;
  if constexpr (is_given<kind::win, first> || is_given<kind::win, last>)      // only these, whose sources have raise_win()
    return object::raise_win(handle_given<kind::win, Fn>(MPI_WIN_NULL, args...), Fn::id, neutral::err_arg, why);
#if defined(MANA_DECLARES_MPI_Session_init)
  const MPI_Session session = handle_given<kind::session, Fn>(MPI_SESSION_NULL, args...);
  if (session != MPI_SESSION_NULL) return object::raise_session(session, Fn::id, neutral::err_arg, why);
#endif
  const MPI_Comm comm = handle_given<kind::comm, Fn>(MPI_COMM_NULL, args...);
  if (comm != MPI_COMM_NULL) return raise(comm, Fn::id, neutral::err_arg, why);
  const MPI_Errhandler handler = handle_given<kind::errhandler, Fn>(MPI_ERRHANDLER_NULL, args...);
  if constexpr (std::is_same_v<typename last::kind, kind::comm>)
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
