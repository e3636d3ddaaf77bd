// Cartesian communicators: create, coordinates, shifts, sub-grids, halo exchange; made in each step, and one that lives
// across the steps, so that a restart has to build it again.
#include "check.h"

static int dims[2];

/// The places of all ranks. `at`: this rank's; `open`: whether the second dimension ends.
static void places(MPI_Comm cart, int open, int* at) {
  int d[2], p[2], xy[2], n, r, own, kind;
  OK(MPI_Topo_test(cart, &kind));
  OK(MPI_Cartdim_get(cart, &n));
  OK(MPI_Cart_get(cart, 2, d, p, at));
  CHECK(kind == MPI_CART && n == 2 && d[0] == dims[0] && d[1] == dims[1] && p[0] && open == (p[1] == 0), "topology");
  MPI_Comm_rank(cart, &own);
  for (int i = 0; i < ranks; ++i) {
    OK(MPI_Cart_coords(cart, i, 2, xy));
    OK(MPI_Cart_rank(cart, xy, &r));
    CHECK(r == i && xy[0] == i / dims[1] && xy[1] == i % dims[1], "rank %d at %d %d", i, xy[0], xy[1]);
    CHECK(i != own || (xy[0] == at[0] && xy[1] == at[1]), "own place");
  }
}

/// A value to and from each neighbour.
static void halo(MPI_Comm cart, int open, const int* at, int k) {
  int xy[2], r, own, src, dst, in;
  MPI_Status st;
  MPI_Comm_rank(cart, &own);
  for (int dir = 0; dir < 2; ++dir)
    for (int by = -1; by <= 1; by += 2) {
      int from = at[dir] - by, inside = !(open && dir == 1) || (from >= 0 && from < dims[dir]);
      OK(MPI_Cart_shift(cart, dir, by, &src, &dst));
      CHECK((src != MPI_PROC_NULL) == inside, "shift %d by %d: %d", dir, by, src);
      int out = val(own, dir, k, by);
      in = -1;
      OK(MPI_Sendrecv(&out, 1, MPI_INT, dst, dir, &in, 1, MPI_INT, src, dir, cart, &st));
      CHECK(in == (inside ? val(src, dir, k, by) : -1), "got %d", in);
      if (inside) {
        xy[0] = at[0], xy[1] = at[1];
        xy[dir] = (from + dims[dir]) % dims[dir];
        OK(MPI_Cart_rank(cart, xy, &r));
        CHECK(r == src, "neighbour %d not %d", src, r);
      }
      got_int(in);
    }
}

/// A non-blocking collective of all on a grid, whose ranks may have more neighbours than there are ranks. Open MPI 4.1 reads
/// a datatype for each neighbour, so there is one.
static void types_for_neighbours(MPI_Comm cart, int k) {
  enum { most = 16 };
  int own, out[most], in[most], counts[most], bytes[most];
  MPI_Datatype types[most];
  MPI_Request request;
  MPI_Comm_rank(cart, &own);
  for (int i = 0; i < most; ++i) {
    counts[i] = 1, bytes[i] = (int)sizeof(int) * i, types[i] = MPI_INT;
    out[i] = val(own, i, k, 9);
  }
  OK(MPI_Ialltoallw(out, counts, bytes, types, in, counts, bytes, types, cart, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < ranks; ++i) CHECK(in[i] == val(i, own, k, 9), "from %d", i);
}

/// The line through `at` along dimension `keep`, as a communicator. `own`: this rank in the grid.
static void line(MPI_Comm row, int keep, const int* at, int own) {
  int n, r, sum, want = 0;
  OK(MPI_Cartdim_get(row, &n));
  CHECK(n == 1, "%d dimensions", n);
  MPI_Comm_size(row, &n);
  MPI_Comm_rank(row, &r);
  CHECK(n == dims[keep] && r == at[keep], "%d of %d", r, n);
  OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, row));
  for (int i = 0; i < n; ++i) want += keep ? at[0] * dims[1] + i : i * dims[1] + at[1];
  CHECK(sum == want, "%d not %d", sum, want);
  got_int(sum);
}

static void use(MPI_Comm cart, int open, int k) {
  int at[2], own, n;
  MPI_Comm row, copy;
  places(cart, open, at);
  halo(cart, open, at, k);
  types_for_neighbours(cart, k);
  MPI_Comm_rank(cart, &own);
  for (int keep = 0; keep < 2; ++keep) {
    const int remain[2] = {keep == 0, keep == 1};
    OK(MPI_Cart_sub(cart, remain, &row));
    line(row, keep, at, own);
    OK(MPI_Comm_dup(row, &copy));  // a duplicate has the topology, too
    OK(MPI_Cartdim_get(copy, &n));
    CHECK(n == 1, "%d dimensions", n);
    OK(MPI_Comm_free(&row));
    OK(MPI_Comm_free(&copy));
  }
}

static void passing(int k) {
  const int periods[2] = {1, k % 2};
  MPI_Comm cart;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, k % 3 == 0, &cart));
  use(cart, !periods[1], k);
  OK(MPI_Comm_free(&cart));
}

/// A grid smaller than the communicator.
static void left_out(void) {
  const int half = (ranks + 1) / 2, periods[1] = {0};
  int n;
  MPI_Comm c;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &half, periods, 0, &c));
  CHECK((c == MPI_COMM_NULL) == (me >= half), "in a grid of %d", half);
  if (c != MPI_COMM_NULL) {
    MPI_Comm_size(c, &n);
    CHECK(n == half, "%d", n);
    got_int(n);
    OK(MPI_Comm_free(&c));
  }
}

// Sizes for which several products are as good, and sizes with many divisors, or few. Each MPI has its own way.
static void sizes_of_grids(void) {
  const int sizes[] = {20, 28, 262148, 999983, 720720, 2147483646};
  for (int i = 0; i < 6; ++i)
    for (int n = 1; n <= 6; ++n) {
      int d[6] = {0};
      long product = 1;
      OK(MPI_Dims_create(sizes[i], n, d));
      for (int k = 0; k < n; ++k) {
        product *= d[k];
        got_int(d[k]);
        CHECK(k == 0 || d[k] <= d[k - 1], "%d behind %d", d[k], d[k - 1]);
      }
      CHECK(product == sizes[i], "%ld instead of %d", product, sizes[i]);
    }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int periods[2] = {1, 0}, second[2] = {0, 1};
  int at[2], own;
  MPI_Comm plane, row;
  OK(MPI_Dims_create(ranks, 2, dims));
  CHECK(dims[0] * dims[1] == ranks && dims[0] >= dims[1], "%d x %d", dims[0], dims[1]);
  sizes_of_grids();
  OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane));
  OK(MPI_Cart_sub(plane, second, &row));
  OK(MPI_Comm_rank(plane, &own));
  OK(MPI_Cart_coords(plane, own, 2, at));
  for (int k = 0; k < steps; ++k) {
    use(plane, 1, k);
    line(row, 1, at, own);
    passing(k);
    left_out();
    step(k);
  }
  OK(MPI_Comm_free(&row));
  OK(MPI_Comm_free(&plane));
  return finish();
}
