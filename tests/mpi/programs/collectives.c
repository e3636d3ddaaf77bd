// Every collective on intracommunicators, blocking and not, on the world and on overlapping parts of it.
#include "check.h"

enum { most = 16 };

static void sums(MPI_Comm comm, int k) {
  int r, n;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &n);
  int x = r + k, y = -1, expect = n * (n - 1) / 2 + n * k;
  MPI_Request q[6];
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
  CHECK(y == expect);
  y = x;
  MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_INT, MPI_SUM, comm);
  CHECK(y == expect);
  MPI_Reduce(&x, &y, 1, MPI_INT, MPI_MAX, k % n, comm);
  if (r == k % n) CHECK(y == n - 1 + k);
  int scan = -1, exscan = -1;
  MPI_Scan(&x, &scan, 1, MPI_INT, MPI_SUM, comm);
  CHECK(scan == r * (r + 1) / 2 + (r + 1) * k);
  MPI_Exscan(&x, &exscan, 1, MPI_INT, MPI_SUM, comm);
  if (r > 0) CHECK(exscan == r * (r - 1) / 2 + r * k);
  int a = -1, b = -1, c = -1, d = k, e = -1;
  MPI_Iallreduce(&x, &a, 1, MPI_INT, MPI_MIN, comm, &q[0]);
  MPI_Iscan(&x, &b, 1, MPI_INT, MPI_SUM, comm, &q[1]);
  MPI_Ireduce(&x, &c, 1, MPI_INT, MPI_SUM, 0, comm, &q[2]);
  MPI_Ibcast(&d, 1, MPI_INT, n - 1, comm, &q[3]);
  MPI_Ibarrier(comm, &q[4]);
  MPI_Iexscan(&x, &e, 1, MPI_INT, MPI_SUM, comm, &q[5]);
  MPI_Waitall(6, q, MPI_STATUSES_IGNORE);
  CHECK(a == k && b == scan && d == k && (r != 0 || c == expect) && (r == 0 || e == exscan));
  MIX(scan);
  int in[most], out = -1, blocks[most], counts[most];
  for (int i = 0; i < n; ++i) in[i] = i + r, counts[i] = 1;
  MPI_Reduce_scatter(in, &out, counts, MPI_INT, MPI_SUM, comm);
  CHECK(out == n * r + n * (n - 1) / 2);
  MPI_Reduce_scatter_block(in, &out, 1, MPI_INT, MPI_SUM, comm);
  CHECK(out == n * r + n * (n - 1) / 2);
  MPI_Ireduce_scatter(in, &out, counts, MPI_INT, MPI_SUM, comm, &q[0]);
  MPI_Ireduce_scatter_block(in, blocks, 1, MPI_INT, MPI_SUM, comm, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  CHECK(out == blocks[0]);
}

static void moves(MPI_Comm comm, int k) {
  int r, n;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &n);
  const int root = k % n;
  int x = 10 * r + k, all[most], back = -1, data[4] = {0};
  MPI_Request q[8];
  if (r == root) data[0] = k, data[3] = -k;
  MPI_Bcast(data, 4, MPI_INT, root, comm);
  CHECK(data[0] == k && data[3] == -k);
  MPI_Gather(&x, 1, MPI_INT, all, 1, MPI_INT, root, comm);
  if (r == root) for (int i = 0; i < n; ++i) CHECK(all[i] == 10 * i + k);
  MPI_Scatter(all, 1, MPI_INT, &back, 1, MPI_INT, root, comm);
  CHECK(back == x);
  MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int i = 0; i < n; ++i) CHECK(all[i] == 10 * i + k);
  all[r] = x;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
  int send[most], receive[most], counts[most], places[most];
  MPI_Datatype types[most];
  int bytes[most];
  for (int i = 0; i < n; ++i) send[i] = 100 * r + i, counts[i] = 1, places[i] = i, types[i] = MPI_INT, bytes[i] = 4 * i;
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, comm);
  for (int i = 0; i < n; ++i) CHECK(receive[i] == 100 * i + r);
  memset(receive, 0, sizeof receive);
  MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, comm);
  for (int i = 0; i < n; ++i) CHECK(receive[i] == 100 * i + r);
  memset(receive, 0, sizeof receive);
  MPI_Alltoallw(send, counts, bytes, types, receive, counts, bytes, types, comm);
  for (int i = 0; i < n; ++i) CHECK(receive[i] == 100 * i + r);
  MPI_Gatherv(&x, 1, MPI_INT, all, counts, places, MPI_INT, root, comm);
  MPI_Scatterv(all, counts, places, MPI_INT, &back, 1, MPI_INT, root, comm);
  CHECK(back == x);
  MPI_Allgatherv(&x, 1, MPI_INT, all, counts, places, MPI_INT, comm);
  CHECK(all[n - 1] == 10 * (n - 1) + k);
  int g[most], s = -1, ag[most], aa[most], av[most], aw[most], gv[most], agv[most];
  MPI_Igather(&x, 1, MPI_INT, g, 1, MPI_INT, root, comm, &q[0]);
  MPI_Iallgather(&x, 1, MPI_INT, ag, 1, MPI_INT, comm, &q[1]);
  MPI_Ialltoall(send, 1, MPI_INT, aa, 1, MPI_INT, comm, &q[2]);
  MPI_Ialltoallv(send, counts, places, MPI_INT, av, counts, places, MPI_INT, comm, &q[3]);
  MPI_Ialltoallw(send, counts, bytes, types, aw, counts, bytes, types, comm, &q[4]);
  MPI_Igatherv(&x, 1, MPI_INT, gv, counts, places, MPI_INT, root, comm, &q[5]);
  MPI_Iallgatherv(&x, 1, MPI_INT, agv, counts, places, MPI_INT, comm, &q[6]);
  MPI_Iscatter(all, 1, MPI_INT, &s, 1, MPI_INT, root, comm, &q[7]);
  MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; ++i) {
    CHECK(ag[i] == 10 * i + k && aa[i] == 100 * i + r && av[i] == aa[i] && aw[i] == aa[i] && agv[i] == ag[i]);
    if (r == root) CHECK(g[i] == ag[i] && gv[i] == g[i]);
  }
  CHECK(s == x);
  s = -1;
  MPI_Iscatterv(all, counts, places, MPI_INT, &s, 1, MPI_INT, root, comm, &q[0]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  CHECK(s == x);
  mix(aw, sizeof(int) * (size_t)n);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv);
  MPI_Comm half, copy, both[3];
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  both[0] = MPI_COMM_WORLD, both[1] = half, both[2] = copy;
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < 3; ++c) {
      sums(both[c], k);
      moves(both[c], k);
    }
    MPI_Barrier(half);
    step(k, n, argc, argv);
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  return finish();
}
