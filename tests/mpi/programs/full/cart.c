/* Cartesian communicators: create, coordinates, shifts, sub-grids, halo exchange. */
#include "check.h"

static void grid(int k)
{
    int dims[2] = {0, 0}, periods[2] = {1, k % 2}, d[2], p[2], at[2], xy[2], n, r, me, kind, src, dst, in;
    MPI_Comm cart, row, line;
    MPI_Status st;
    OK(MPI_Dims_create(size, 2, dims));
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1], "%d x %d", dims[0], dims[1]);
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, k % 3 == 0, &cart));
    OK(MPI_Topo_test(cart, &kind));
    OK(MPI_Cartdim_get(cart, &n));
    OK(MPI_Cart_get(cart, 2, d, p, at));
    CHECK(kind == MPI_CART && n == 2 && d[0] == dims[0] && d[1] == dims[1] && !!p[1] == k % 2 && p[0], "topology");
    MPI_Comm_rank(cart, &me);
    for (int i = 0; i < size; i++) {
        OK(MPI_Cart_coords(cart, i, 2, xy));
        OK(MPI_Cart_rank(cart, xy, &r));
        CHECK(r == i && xy[0] == i / dims[1] && xy[1] == i % dims[1], "rank %d at %d %d", i, xy[0], xy[1]);
        CHECK(i != me || (xy[0] == at[0] && xy[1] == at[1]), "own place");
    }
    for (int dir = 0; dir < 2; dir++)
        for (int by = -1; by <= 1; by += 2) {
            int from = at[dir] - by, inside = periods[dir] || (from >= 0 && from < dims[dir]);
            OK(MPI_Cart_shift(cart, dir, by, &src, &dst));
            CHECK((src != MPI_PROC_NULL) == inside, "shift %d by %d: %d", dir, by, src);
            int out = val(me, dir, k, by);
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
    for (int keep = 0; keep < 2; keep++) {
        int remain[2] = {keep == 0, keep == 1}, sum, want = 0;
        OK(MPI_Cart_sub(cart, remain, &row));
        MPI_Comm_size(row, &n);
        MPI_Comm_rank(row, &r);
        CHECK(n == dims[keep] && r == at[keep], "%d of %d", r, n);
        OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, row));
        for (int i = 0; i < n; i++)
            want += keep ? at[0] * dims[1] + i : i * dims[1] + at[1];
        CHECK(sum == want, "%d not %d", sum, want);
        OK(MPI_Comm_dup(row, &line));   /* a duplicate has the topology, too */
        OK(MPI_Cartdim_get(line, &n));
        CHECK(n == 1, "%d dimensions", n);
        got_int(sum);
        OK(MPI_Comm_free(&row));
        OK(MPI_Comm_free(&line));
    }
    OK(MPI_Comm_free(&cart));
}

static void left_out(void)              /* a grid smaller than the communicator */
{
    int dims[1] = {(size + 1) / 2}, periods[1] = {0}, n;
    MPI_Comm c;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c));
    CHECK((c == MPI_COMM_NULL) == (rank >= dims[0]), "in a grid of %d", dims[0]);
    if (c != MPI_COMM_NULL) {
        MPI_Comm_size(c, &n);
        CHECK(n == dims[0], "%d", n);
        got_int(n);
        OK(MPI_Comm_free(&c));
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv, MPI_THREAD_SINGLE);
    for (int k = 0; k < steps; k++)
        grid(k), left_out(), step(k, steps);
    return finish();
}
