// One MPI function in the boundary's form: neutral arguments in, a neutral error class out. The template for the table.
#pragma once
#include <runtime/lower/lone_collective.hpp>
#include <runtime/lower/real_abi.hpp>
#include <runtime/lower/table.hpp>

#include <mana/gen/lower_slots.hpp>
#include <mana/call/function.hpp>

#include <tuple>
#include <utility>

namespace mana::lower {

/// One argument between the two worlds. give(): for the live MPI; back(): after a successful call. Neutral: its type on
/// the boundary. Real: its type in mpi.h. length: entries of arrays of handles
template <class Param, class Neutral, class Real>
struct real_argument {
  Neutral value;
  real_argument(Neutral v, int) noexcept : value(v) {}
  Real give() noexcept { return (Real)value; }   // between pointers to integers of the same width, or the same type
  void back() noexcept {}
};

template <class Param, class Neutral, class Real>
  requires(std::is_same_v<typename Param::kind, kind::rank> && !Param::is_array)
struct real_argument<Param, Neutral, Real> {
  int value;
  real_argument(int v, int) noexcept : value(real_rank(v)) {}
  int give() noexcept { return value; }
  void back() noexcept {}
};

/// Addresses, of which some have a special meaning: real_address() of their type.
template <class Param, class Neutral, class Real>
  requires(std::is_same_v<typename Param::kind, kind::buffer> || std::is_same_v<typename Param::kind, kind::weights>)
struct real_argument<Param, Neutral, Real> {
  Real value;
  real_argument(Neutral v, int) noexcept : value(real_address(v)) {}
  Real give() noexcept { return value; }
  void back() noexcept {}
};

template <class Param, class Neutral, class Real>
  requires std::is_same_v<typename Param::kind, kind::status>
struct real_argument<Param, Neutral, Real> {
  MPI_Status value;
  real_argument(const neutral::status* v, int) noexcept : value(real_status(*v)) {}
  MPI_Status* give() noexcept { return &value; }
  void back() noexcept {}
};

template <class Param>
concept constant_of_mpi_h = requires { for_each_predefined(typename Param::kind{}, [](int, int, const char*) {}); };

template <constant_of_mpi_h Param, class Real>
struct real_argument<Param, int, Real> {
  int value;
  real_argument(int v, int) noexcept : value(real_constant<typename Param::kind>(v)) {}
  int give() noexcept { return value; }
  void back() noexcept {}
};
template <constant_of_mpi_h Param, class Real>
struct real_argument<Param, int*, Real> {
  int* where;
  real_argument(int* v, int) noexcept : where(v) {}
  int* give() noexcept { return where; }
  void back() noexcept { if (where != nullptr) *where = neutral_constant<typename Param::kind>(*where); }
};

/// An input handle.
template <class Param, class K, class Real>
struct real_argument<Param, real<K>, Real> {
  Real value;
  real_argument(real<K> v, int) noexcept : value(to_mpi(v)) {}
  Real give() noexcept { return value; }
  void back() noexcept {}
};

/// An output handle, or one for both directions.
template <class Param, class K, class Real>
struct real_argument<Param, real<K>*, Real> {
  real<K>* where;
  typename mpi_type<K>::type value;
  real_argument(real<K>* v, int) noexcept : where(v), value(to_mpi(*v)) {}
  Real give() noexcept { return &value; }
  void back() noexcept { *where = to_neutral<K>(value); }
};

/// Input handles. The array is the caller's scratch memory, which lives as long as the operation. If the live MPI's
/// handles are narrower, they are compacted in place.
template <class Param, class K, class Real>
struct real_argument<Param, const real<K>*, Real> {
  using handle = typename mpi_type<K>::type;
  handle* value;
  real_argument(const real<K>* v, int length) noexcept : value(reinterpret_cast<handle*>(const_cast<real<K>*>(v))) {
    if (sizeof(handle) == sizeof(real<K>) || v == nullptr) return;
    for (int i = 0; i < length; ++i) {
      const handle narrow = to_mpi(v[i]);
      std::memcpy(reinterpret_cast<char*>(value) + static_cast<std::size_t>(i) * sizeof(handle), &narrow,
                  sizeof narrow);
    }
  }
  Real give() noexcept { return value; }
  void back() noexcept {}
};

template <class Value>
inline void find_comm(real<kind::comm>& comm, Value value) noexcept {
  if constexpr (std::is_same_v<Value, real<kind::comm>>) comm = value;
}

template <class Neutral>
inline constexpr bool is_handles = false;
template <class K>
inline constexpr bool is_handles<const real<K>*> = true;

/// Numbers of entries of a collective's arrays of handles: of the array for sending, which comes first, and of the
/// other.
struct array_lengths {
  int send = 0, recv = 0;
};

inline array_lengths neighbours_in(MPI_Comm comm) noexcept {
  int form = MPI_UNDEFINED, n = 0, in = 0, weighted = 0;
  PMPI_Topo_test(comm, &form);
  if (form == MPI_CART) {
    PMPI_Cartdim_get(comm, &n);
    n *= 2;
  } else if (form == MPI_GRAPH) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &n);
  } else if (form == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &in, &n, &weighted);
    return {n, in};
  }
  return {n, n};
}

/// An intercommunicator's arrays have an entry for each rank of the other group.
inline int peers_in(MPI_Comm comm) noexcept {
  int is_inter = 0, n = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter != 0 ? PMPI_Comm_remote_size(comm, &n) : PMPI_Comm_size(comm, &n);
  return n;
}

/// Numbers of entries of the arrays of handles among the arguments of Fn: one for each peer or neighbour in the
/// communicator. In a function without communicator the first argument is the number.
template <class Fn, class First, class... Rest>
inline array_lengths lengths_of(First first, Rest... rest) noexcept {
  real<kind::comm> comm{};
  find_comm(comm, first);
  (find_comm(comm, rest), ...);
  int n = 0;
  if (!comm) {
    if constexpr (std::is_integral_v<First>) n = static_cast<int>(first);
  } else if constexpr (Fn::facts.neighbours) {
    return neighbours_in(to_mpi(comm));
  } else {
    n = peers_in(to_mpi(comm));
  }
  return {n, n};
}

/// An argument for the live MPI: a non-blocking collective may go to another communicator.
template <class Fn, class Value>
inline Value as_called(Value value) noexcept {
  if constexpr (Fn::form == shape::icollective && !Fn::facts.neighbours && std::is_same_v<Value, real<kind::comm>>)
    return to_neutral<kind::comm>(real_mpi::without_messages_of_program(to_mpi(value)));
  else return value;
}

template <class Fn, auto Function, class Params, class Slot, class Real>
struct real_caller;
template <class Fn, auto Function, class... P, class... N, class... R>
struct real_caller<Fn, Function, param_list<P...>, int (*)(N...), int (*)(R...)> {
  static int call(N... given) {
    constexpr bool has_arrays = (... || is_handles<N>);
    array_lengths lengths;
    if constexpr (has_arrays) lengths = lengths_of<Fn>(given...);
    int arrays = 0;                        // arrays before this argument: the braces keep the order
    const void* first = nullptr;
    const auto length = [&](auto value) {
      if constexpr (!is_handles<decltype(value)>) {
        return 0;
      } else {
        if (arrays++ > 0) return value == first ? 0 : lengths.recv;      // one array for both is compacted once
        first = value;
        return lengths.send;
      }
    };
    std::tuple<real_argument<P, N, R>...> arguments{
        real_argument<P, N, R>(as_called<Fn>(given), length(given))...};
    return std::apply([](auto&... a) {
      const int rc = Function(a.give()...);
      if (rc != MPI_SUCCESS) [[unlikely]] return Fn::facts.tool ? neutral_class(rc) : neutral_error(rc);
      (a.back(), ...);
      return int{neutral::success};
    }, arguments);
  }
};

template <class Fn, auto Function, class Slot>
constexpr Slot real_call(Slot mpi_slots::*) noexcept {
  return &real_caller<Fn, Function, typename Fn::params, Slot, decltype(Function)>::call;
}

/// A collective of the standard of which the live MPI lacks a form has an empty slot: the wrapper tests it before it enters.
/// Any other function answers that it does not exist, so that no call needs a test.
template <class Fn>
inline constexpr bool may_be_empty =
    Fn::form == shape::collective || Fn::form == shape::icollective || Fn::form == shape::pcollective;

template <class Fn, class Slot>
struct absent;
template <class Fn, class... N>
struct absent<Fn, int (*)(N...)> {
  static int call(N...) { return Fn::facts.tool ? int{neutral::err_t_not_supported} : int{neutral::err_unsupported_operation}; }
};

template <class Fn, class Slot>
constexpr Slot lacking_call(Slot mpi_slots::*) noexcept {
  if constexpr (may_be_empty<Fn>) return nullptr;
  else return &absent<Fn, Slot>::call;
}

/// Whether R, of the form with int counts, cannot hold every value of N, of the form with large counts.
template <class N, class R>
consteval bool is_narrower() {
  if constexpr (std::is_integral_v<N> && std::is_integral_v<R>) return sizeof(R) < sizeof(N);
  else if constexpr (std::is_pointer_v<N> && std::is_pointer_v<R>)
    return is_narrower<std::remove_cv_t<std::remove_pointer_t<N>>, std::remove_cv_t<std::remove_pointer_t<R>>>();
  else return false;
}

template <class R, class N>
inline bool fits(N value) noexcept {
  if constexpr (is_narrower<N, R>()) return std::in_range<R>(value);
  else return true;
}

/// MPI_X_c over a live MPI that has MPI_X only: works for counts that an int holds.
/// errors: err_unsupported_operation for larger ones
template <class Fn, auto Function, class Slot, class Real>
struct narrowed {
  static constexpr bool is_possible = false;      // the large form has more parameters
};
template <class Fn, auto Function, class... N, class... R>
  requires(sizeof...(N) == sizeof...(R))
struct narrowed<Fn, Function, int (*)(N...), int (*)(R...)> {
  static constexpr bool is_possible = !(... || (std::is_pointer_v<N> && is_narrower<N, R>()));
  static int call(N... given) {
    if (!(... && fits<R>(given))) return neutral::err_unsupported_operation;
    return real_caller<Fn, Function, typename Fn::params, int (*)(N...), int (*)(R...)>::call(given...);
  }
};

template <class Fn, auto Function, class Slot>
constexpr Slot narrowed_call(Slot mpi_slots::*slot) noexcept {
  using adapter = narrowed<Fn, Function, Slot, decltype(Function)>;
  if constexpr (adapter::is_possible) return &adapter::call;
  else return lacking_call<Fn>(slot);
}

}  // namespace mana::lower
