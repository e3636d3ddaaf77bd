// Neighbourhood collectives on cartesian communicators: a ring and a plane with open edges, blocking and not.
#include "check.h"

enum { most = 4 };

/// The neighbours in the standard's order: for each dimension the lower, then the upper one.
static void neighbours(MPI_Comm grid, int dimensions, int* near) {
  for (int d = 0; d < dimensions; ++d) MPI_Cart_shift(grid, d, 1, &near[2 * d], &near[2 * d + 1]);
}

static void check(const int* arrived, const int* near, int n, int k, int factor, int own) {
  // Along a dimension of two the same process is the lower and the upper neighbour: what it sends as "upper" comes as
  // "lower".
  for (int i = 0; i < n; ++i) {
    const int want = near[i] == MPI_PROC_NULL ? -1 : near[i] * 1000 + k + factor * (own ? i ^ 1 : 0);
    CHECK(arrived[i] == want, "%d from neighbour %d, not %d", arrived[i], i, want);
  }
}

static void clear(int* all) {
  for (int i = 0; i < most; ++i) all[i] = -1;
}

static void on(MPI_Comm grid, int dimensions, int k) {
  const int n = 2 * dimensions, mine = me * 1000 + k;
  int near[most], out[most], counts[most], places[most], arrived[most], later[most];
  MPI_Aint bytes[most];
  MPI_Datatype types[most];
  MPI_Request r[3];
  neighbours(grid, dimensions, near);
  for (int i = 0; i < n; ++i) out[i] = mine + 10 * i, counts[i] = 1, places[i] = i, bytes[i] = 4 * i;
  for (int i = 0; i < n; ++i) types[i] = MPI_INT;
  clear(arrived);
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, arrived, 1, MPI_INT, grid);
  check(arrived, near, n, k, 0, 0);
  clear(arrived);
  MPI_Neighbor_allgatherv(&mine, 1, MPI_INT, arrived, counts, places, MPI_INT, grid);
  check(arrived, near, n, k, 0, 0);
  clear(arrived);
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, arrived, counts, places, MPI_INT, grid);
  check(arrived, near, n, k, 10, 1);
  clear(arrived);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, arrived, 1, MPI_INT, grid);
  check(arrived, near, n, k, 10, 1);
  clear(arrived);
  MPI_Neighbor_alltoallw(out, counts, bytes, types, arrived, counts, bytes, types, grid);
  check(arrived, near, n, k, 10, 1);
  int gathered[most];
  clear(arrived), clear(later), clear(gathered);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, arrived, 1, MPI_INT, grid, &r[0]);
  MPI_Ineighbor_alltoallw(out, counts, bytes, types, later, counts, bytes, types, grid, &r[1]);
  MPI_Ineighbor_allgatherv(&mine, 1, MPI_INT, gathered, counts, places, MPI_INT, grid, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  check(arrived, near, n, k, 10, 1);
  check(later, near, n, k, 10, 1);
  check(gathered, near, n, k, 0, 0);
  clear(arrived), clear(later);
  MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, arrived, counts, places, MPI_INT, grid, &r[0]);
  MPI_Ineighbor_allgather(&mine, 1, MPI_INT, later, 1, MPI_INT, grid, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  check(arrived, near, n, k, 10, 1);
  check(later, near, n, k, 0, 0);
  got(arrived, sizeof arrived);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int around[1] = {1}, open[2] = {0, 0};
  int dims[2] = {0, 0};
  MPI_Comm ring, plane;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, around, 0, &ring);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open, 0, &plane);
  for (int k = 0; k < steps; ++k) {
    if (ranks > 2) on(ring, 1, k);  // with two ranks, which of two messages is which is not told by all MPIs alike
    on(plane, 2, k);
    step(k);
  }
  MPI_Comm_free(&ring);
  MPI_Comm_free(&plane);
  return finish();
}
