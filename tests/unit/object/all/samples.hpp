// Arguments that are right for nearly every function: of its parameter's kind, for this mpi.h.
#pragma once
#include <running_mpi.hpp>

#include <mana/gen/function_tags.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mana::scripted {

/// What the samples are about: a cartesian communicator, which has all that calls may ask of one. Made anew by each test.
struct sample_objects {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int rank = 0;                     // whatever it is the rank of
  MPI_Datatype types[16];
  int ones[16];
  alignas(16) char memory[4096] = {};
  sample_objects() {
    for (MPI_Datatype& t : types) t = MPI_INT;
    for (int& one : ones) one = 1;
    const int dims[] = {2, 2}, periods[] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  }
  ~sample_objects() { MPI_Comm_free(&comm); }
};

/// An argument of type T for a parameter of this kind.
template <class P, class T>
T sample(sample_objects& s) {
  using k = typename P::kind;
  constexpr bool is_result = P::direction != dir::in;
  if constexpr (std::is_same_v<T, MPI_Comm> && std::is_same_v<k, kind::comm>) return s.comm;
  else if constexpr (std::is_same_v<k, kind::datatype> && P::is_array) return s.types;
  else if constexpr (std::is_same_v<k, kind::datatype> && !is_result) return MPI_INT;
  else if constexpr (std::is_same_v<k, kind::op> && !is_result) return MPI_SUM;
  else if constexpr (std::is_same_v<k, kind::info> && !is_result) return MPI_INFO_NULL;
  else if constexpr (std::is_same_v<k, kind::request> && !P::is_array && std::is_same_v<T, MPI_Request*>) return &s.request;
  else if constexpr (std::is_same_v<k, kind::rank> && !is_result && std::is_same_v<T, int>) return s.rank;
  else if constexpr (std::is_same_v<T, const int*>) return s.ones;
  else if constexpr (std::is_pointer_v<T>) return reinterpret_cast<T>(const_cast<char*>(s.memory));
  else if constexpr (std::is_integral_v<T>) return T{1};
  else return T{};
}

/// Calls a function of MPI with samples.
template <class Fn, class... A>
int call_with_samples(int (*function)(A...), sample_objects& s) {
  return [&]<class... P>(std::tuple<P...>*) {
    return function(sample<P, A>(s)...);
  }(static_cast<typename Fn::params::as_tuple*>(nullptr));
}

/// Calls a function of MPI with zeros.
template <class... A>
int call_with_zeros(int (*function)(A...)) {
  return function(A{}...);
}

}  // namespace mana::scripted
