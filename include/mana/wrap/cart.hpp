// Cartesian topologies: arithmetic on the descriptor alone. Row-major order, as MPI fixes it.
#pragma once
#include <mana/vid/descriptor.hpp>

#include <cstdlib>
#include <cstring>

namespace mana::wrap {

/// Coordinates of a rank. out: coords: int[ndims]
inline void coords_of_rank(const vid::cart& c, int rank, int* coords) noexcept {
  for (int i = c.ndims - 1; i >= 0; --i) {
    coords[i] = c.dims[i] > 0 ? rank % c.dims[i] : 0;
    rank = c.dims[i] > 0 ? rank / c.dims[i] : 0;
  }
}

/// in: coords: int[ndims], any values      out: rank, or -1 where a coordinate leaves a dimension without period
inline int rank_of_coords(const vid::cart& c, const int* coords) noexcept {
  int rank = 0;
  for (int i = 0; i < c.ndims; ++i) {
    int x = coords[i];
    if (x < 0 || x >= c.dims[i]) {
      if (c.periods[i] == 0) return -1;
      x %= c.dims[i];
      if (x < 0) x += c.dims[i];
    }
    rank = rank * c.dims[i] + x;
  }
  return rank;
}

/// One block of memory; free_cart ends it. in: dims, periods: int[ndims]; coords: int[ndims], or nullptr for zeros
inline vid::cart* make_cart(int ndims, const int* dims, const int* periods, const int* coords) noexcept {
  const std::size_t n = ndims > 0 ? static_cast<std::size_t>(ndims) : 0;
  auto* const c = static_cast<vid::cart*>(std::calloc(1, sizeof(vid::cart) + 3 * n * sizeof(int)));
  if (c == nullptr) std::abort();
  int* const arrays = reinterpret_cast<int*>(c + 1);
  *c = {static_cast<int>(n), arrays, arrays + n, arrays + 2 * n};
  for (std::size_t i = 0; i < n; ++i) {
    c->dims[i] = dims[i];
    c->periods[i] = periods[i] != 0;
    if (coords != nullptr) c->coords[i] = coords[i];
  }
  return c;
}
inline void free_cart(vid::cart* c) noexcept { std::free(c); }

/// The topology of the sub-grid through this process. in: remain: int[ndims], 0 for a dimension that goes
inline vid::cart* sub_cart(const vid::cart& c, const int* remain) noexcept {
  vid::cart* const sub = make_cart(c.ndims, c.dims, c.periods, c.coords);
  int n = 0;
  for (int i = 0; i < c.ndims; ++i) {
    if (remain[i] == 0) continue;
    sub->dims[n] = c.dims[i];
    sub->periods[n] = c.periods[i];
    sub->coords[n] = c.coords[i];
    ++n;
  }
  sub->ndims = n;
  return sub;
}

}  // namespace mana::wrap
