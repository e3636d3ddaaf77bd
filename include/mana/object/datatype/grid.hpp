// Subarrays and distributed arrays, composed of simpler datatypes one dimension after the other, from the one that
// varies fastest. So the constants of order and distribution stay in the upper half, and the layout is the same in
// every MPI.
#pragma once
#include <mana/object/datatype/predefined.hpp>

#include <mana/gen/lower_slots.hpp>

#include <algorithm>
#include <climits>

namespace mana::object {

inline bool is_grid(const recipe& r) noexcept {
  return r.how() == combiner::subarray || r.how() == combiner::darray;
}

/// The elements that are chosen along one dimension of `total` elements: `blocks` runs of `length` elements, and `rest`
/// more. The runs begin at first, first + step, …, and the rest where the next run would begin.
struct axis {
  std::int64_t total, first, length, step, blocks, rest;
};

/// place() by the constructors with counts of type N; null if the live MPI has none.
template <class N, class Hvector, class Struct>
inline int place_by(Hvector hvector, Struct structure, const lower::mpi_slots& mpi, real<kind::datatype> inner,
                    std::int64_t extent, const axis& a, real<kind::datatype>* out) noexcept {
  if (hvector == nullptr || structure == nullptr) return neutral::err_count;
  real<kind::datatype> runs{}, whole{};
  int rc = hvector(static_cast<N>(a.blocks), static_cast<N>(a.length), a.step * extent, inner, &runs);
  if (rc != neutral::success) return rc;
  const N lengths[] = {1, static_cast<N>(a.rest)};
  const std::int64_t places[] = {a.first * extent, (a.first + a.blocks * a.step) * extent};
  const real<kind::datatype> types[] = {runs, inner};
  rc = structure(a.rest > 0 ? 2 : 1, lengths, places, types, &whole);
  mpi.MPI_Type_free(&runs);
  if (rc != neutral::success) return rc;
  rc = mpi.MPI_Type_create_resized(whole, 0, a.total * extent, out);
  mpi.MPI_Type_free(&whole);
  return rc;
}

/// One dimension. Runs in the lower half, and uses only the stack.
/// in: inner  one element of this dimension; the elements are `extent` bytes apart
/// out: neutral error class; *out: the chosen elements, with the extent of the whole dimension
inline int place(const lower::mpi_slots& mpi, real<kind::datatype> inner, std::int64_t extent, const axis& a,
                 real<kind::datatype>* out) noexcept {
  if (std::max({a.length, a.blocks, a.rest}) <= INT_MAX)
    return place_by<int>(mpi.MPI_Type_create_hvector, mpi.MPI_Type_create_struct, mpi, inner, extent, a, out);
  return place_by<std::int64_t>(mpi.MPI_Type_create_hvector_c, mpi.MPI_Type_create_struct_c, mpi, inner, extent, a,
                                out);
}

/// All dimensions. axis_of(d): the choice along dimension d      out: neutral error class
template <class AxisOf>
inline int place_all(const lower::mpi_slots& mpi, real<kind::datatype> old, std::int64_t extent, int ndims, int order,
                     real<kind::datatype>* out, AxisOf&& axis_of) noexcept {
  real<kind::datatype> inner = old;
  for (int k = 0; k < ndims; ++k) {
    const axis a = axis_of(order == MPI_ORDER_C ? ndims - 1 - k : k);
    real<kind::datatype> next{};
    const int rc = place(mpi, inner, extent, a, &next);
    if (k > 0) mpi.MPI_Type_free(&inner);
    if (rc != neutral::success) return rc;
    inner = next;
    extent *= a.total;
  }
  *out = inner;
  return neutral::success;
}

/// recipe: ints ndims, order and counts sizes, subsizes, starts; or ints ndims, sizes, subsizes, starts, order.
inline int make_subarray(const lower::mpi_slots& mpi, const recipe& r, std::int64_t extent,
                         real<kind::datatype>* out) noexcept {
  const int n = r.ints()[0], order = r.ints()[r.ints_size() - 1];
  const auto number = [&](int k) { return r.large() ? r.counts()[k] : r.ints()[1 + k]; };
  return place_all(mpi, r.reals()[0], extent, n, order, out, [&](int d) noexcept {
    return axis{number(d), number(2 * n + d), number(n + d), 0, 1, 0}; });
}

/// One dimension of a distributed array, for the process at `place_in_grid` of `processes`.
/// in: argument  block length, or MPI_DISTRIBUTE_DFLT_DARG
inline axis distribute(std::int64_t total, int distribution, int argument, int processes, int place_in_grid) noexcept {
  if (distribution == MPI_DISTRIBUTE_NONE) return {total, 0, total, 0, 1, 0};
  const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  if (distribution == MPI_DISTRIBUTE_BLOCK) {
    const std::int64_t length = by_default ? (total + processes - 1) / processes : argument;
    const std::int64_t first = std::min(total, length * place_in_grid);
    return {total, first, std::min(length, total - first), 0, 1, 0};
  }
  const std::int64_t length = by_default ? 1 : argument, step = length * processes;
  const std::int64_t first = std::min(total, length * place_in_grid), ahead = total - first;
  const std::int64_t blocks = ahead < length ? 0 : (ahead - length) / step + 1;
  const std::int64_t rest = std::clamp<std::int64_t>(ahead - blocks * step, 0, length);
  return {total, first, length, step, blocks, rest};
}

/// recipe: ints size, rank, ndims, [gsizes,] distribs, dargs, psizes, order; counts gsizes if large.
inline int make_darray(const lower::mpi_slots& mpi, const recipe& r, std::int64_t extent,
                       real<kind::datatype>* out) noexcept {
  const int* const i = r.ints();
  const int n = i[2], order = i[r.ints_size() - 1];
  const int* const distribs = i + 3 + (r.large() ? 0 : n);
  const int *const dargs = distribs + n, *const psizes = dargs + n;
  return place_all(mpi, r.reals()[0], extent, n, order, out, [&](int d) noexcept {
    // the process grid is in row-major order, whatever the array's order is
    int below = 1;
    for (int k = d + 1; k < n; ++k) below *= psizes[k];
    const std::int64_t total = r.large() ? r.counts()[d] : i[3 + d];
    return distribute(total, distribs[d], dargs[d], psizes[d], i[1] / below % psizes[d]); });
}

}  // namespace mana::object
