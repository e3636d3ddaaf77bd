// Queries of cartesian topologies, answered from the communicator's descriptor. (Constructors: comm.hpp.)
#pragma once
#include <mana/wrap/cart.hpp>
#include <mana/wrap/dims.hpp>
#include <mana/wrap/manual/errhandler.hpp>

namespace mana::wrap {

/// The frame of topology queries. use(cart, descriptor) returns a neutral error class.
template <class Fn, class Use>
inline int with_cart(MPI_Comm comm, Use&& use) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  if (c.e->what.topology == nullptr)
    return raise(comm, Fn::id, neutral::err_topology, "the communicator has no cartesian topology");
  const int rc = use(*c.e->what.topology, c.e->what);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, rc, nullptr);
}

inline int size_of_cart(int ndims, const int* dims) noexcept {
  long size = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0) return -1;
    size *= dims[i];
    if (size > INT_MAX) return -1;
  }
  return static_cast<int>(size);
}

}  // namespace mana::wrap

namespace mana::manual {

inline int topo_test(MPI_Comm comm, int* status) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::topo_test::id, neutral::err_comm, nullptr);
  *status = c.e->what.topology != nullptr ? int{MPI_CART} : int{MPI_UNDEFINED};
  return MPI_SUCCESS;
}
inline int cartdim_get(MPI_Comm comm, int* ndims) noexcept {
  return wrap::with_cart<fn::cartdim_get>(comm, [=](const vid::cart& c, const auto&) noexcept {
    *ndims = c.ndims;
    return int{neutral::success}; });
}
/// in: maxdims  room in the arrays; at most so many are written
inline int cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) noexcept {
  return wrap::with_cart<fn::cart_get>(comm, [=](const vid::cart& c, const auto&) noexcept {
    if (maxdims < 0) return int{neutral::err_arg};
    for (int i = 0; i < c.ndims && i < maxdims; ++i) {
      dims[i] = c.dims[i];
      periods[i] = c.periods[i];
      coords[i] = c.coords[i];
    }
    return int{neutral::success}; });
}
inline int cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) noexcept {
  return wrap::with_cart<fn::cart_coords>(comm, [=](const vid::cart& c, const vid::descriptor<kind::comm>& d) noexcept {
    if (rank < 0 || rank >= d.ranks->size) return int{neutral::err_rank};
    if (maxdims < c.ndims) return int{neutral::err_dims};
    wrap::coords_of_rank(c, rank, coords);
    return int{neutral::success}; });
}
inline int cart_rank(MPI_Comm comm, const int coords[], int* rank) noexcept {
  return wrap::with_cart<fn::cart_rank>(comm, [=](const vid::cart& c, const auto&) noexcept {
    const int found = wrap::rank_of_coords(c, coords);
    if (found < 0) return int{neutral::err_arg};
    *rank = found;
    return int{neutral::success}; });
}
inline int cart_shift(MPI_Comm comm, int direction, int disp, int* source, int* dest) noexcept {
  return wrap::with_cart<fn::cart_shift>(comm, [=](const vid::cart& c, const vid::descriptor<kind::comm>& d) noexcept {
    if (direction < 0 || direction >= c.ndims) return int{neutral::err_arg};
    const int n = c.dims[direction], x = c.coords[direction], step = c.periods[direction] != 0 ? disp % n : disp;
    int stride = 1;
    for (int i = direction + 1; i < c.ndims; ++i) stride *= c.dims[i];
    const auto neighbour = [&](long at) {
      if (c.periods[direction] != 0) at = (at % n + n) % n;
      else if (at < 0 || at >= n) return int{MPI_PROC_NULL};
      return d.ranks->own_rank + static_cast<int>(at - x) * stride;
    };
    *source = neighbour(static_cast<long>(x) - step);
    *dest = neighbour(static_cast<long>(x) + step);
    return int{neutral::success}; });
}
/// Ranks are never reordered: a restart on other nodes must find them in the same order.
inline int cart_map(MPI_Comm comm, int ndims, const int dims[], const int*, int* newrank) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::cart_map::id, neutral::err_comm, nullptr);
  const int size = ndims < 0 ? -1 : wrap::size_of_cart(ndims, dims);
  if (size < 0 || size > c.e->what.ranks->size)
    return raise(comm, fn::cart_map::id, neutral::err_dims, "the grid does not fit");
  *newrank = c.e->what.ranks->own_rank < size ? c.e->what.ranks->own_rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/// Factors that the caller fixed (not 0) stay.
inline int dims_create(int nnodes, int ndims, int dims[]) noexcept {
  long fixed = 1;
  int open = 0;
  if (nnodes < 1 || ndims < 0 || (ndims > 0 && dims == nullptr))
    return wrap::fail(fn::dims_create::id, neutral::err_arg, "number of nodes or of dimensions");
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 0) return wrap::fail(fn::dims_create::id, neutral::err_dims, "a negative dimension");
    if (dims[i] == 0) ++open;
    else if ((fixed *= dims[i]) > nnodes)
      return wrap::fail(fn::dims_create::id, neutral::err_dims, "the given dimensions exceed the number of nodes");
  }
  if (nnodes % fixed != 0 || (open == 0 && ndims > 0 && fixed != nnodes))
    return wrap::fail(fn::dims_create::id, neutral::err_dims, "the given dimensions do not divide the number of nodes");
  if (open == 0) return MPI_SUCCESS;
  const int rest = static_cast<int>(nnodes / fixed);
#ifdef OPEN_MPI
  const std::vector<int> factors = wrap::greedy_factors(rest, open);
#else
  const std::vector<int> factors = wrap::balanced_factors(rest, open);
#endif
  auto next = factors.begin();
  for (int i = 0; i < ndims; ++i)
    if (dims[i] == 0) dims[i] = *next++;
  return MPI_SUCCESS;
}

}  // namespace mana::manual
