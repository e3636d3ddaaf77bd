// Operations with requests, completed in every way, among requests of messages; some are under way across a step, and
// some are completed with a flush before their request is.
#include "memory.h"

enum { most = 30000, few = 32, parts = 4 };
struct memory {
  int put[parts][most], shown[parts][most], sums[few], swapped[few];
};
static struct memory own FOR_A_WINDOW;
static struct memory* theirs;
static MPI_Win over_own, over_theirs;
static int in[parts][most], out[parts][most], adds[few], before[few];

static int size_of(int k) { return k % 4 == 0 ? most : 1 + 7 * k % 200; }

/// In any of the ways there are, `n` requests.
static void complete(MPI_Request* all, int n, int how) {
  int flag = 0, index, count, indices[16], remain = n;
  MPI_Status statuses[16];
  switch (how % 6) {
    case 0: OK(MPI_Waitall(n, all, statuses)); break;
    case 1:
      for (; remain > 0; --remain) OK(MPI_Waitany(n, all, &index, statuses));
      break;
    case 2:
      for (; remain > 0; remain -= count) OK(MPI_Waitsome(n, all, &count, indices, statuses));
      break;
    case 3:
      while (!flag) OK(MPI_Testall(n, all, &flag, MPI_STATUSES_IGNORE));
      break;
    case 4:
      for (int i = 0; i < n; ++i) {
        flag = 0;
        while (!flag) OK(MPI_Test(&all[i], &flag, statuses));
      }
      break;
    case 5:
      for (int i = 0; i < n; ++i) {
        flag = 0;
        while (!flag) OK(MPI_Request_get_status(all[i], &flag, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&all[i], MPI_STATUS_IGNORE));
      }
      break;
  }
  for (int i = 0; i < n; ++i) CHECK(all[i] == MPI_REQUEST_NULL, "request %d", i);
}

static MPI_Request under_way[2 * parts + 1];
static int begun;

static void begin_some(int k, MPI_Win w, struct memory* m) {
  const int n = size_of(k);
  for (int p = 0; p < parts; ++p) fill(m->shown[p], n, me, p, k);
  OK(MPI_Win_sync(w));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  begun = 0;
  for (int p = 0; p < parts; ++p) {
    fill(out[p], n, me, p + 10, k);
    OK(MPI_Rput(out[p], n, MPI_INT, right, AT(memory, put) + (MPI_Aint)sizeof m->put[0] * p, n, MPI_INT, w, &under_way[begun++]));
    OK(MPI_Rget(in[p], n, MPI_INT, left, AT(memory, shown) + (MPI_Aint)sizeof m->shown[0] * p, n, MPI_INT, w,
                &under_way[begun++]));
  }
  OK(MPI_Rput(out[0], 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w, &under_way[begun++]));
}
static void end_some(int k, MPI_Win w, struct memory* m) {
  const int n = size_of(k);
  if (k % 2) OK(MPI_Win_flush_all(w));
  complete(under_way, begun, k / 2);
  OK(MPI_Win_flush_all(w));
  for (int p = 0; p < parts; ++p) SAME(in[p], n, left, p, k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(w));
  for (int p = 0; p < parts; ++p) SAME(m->put[p], n, left, p + 10, k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// In one array with a message. What is fetched is what nobody else changes.
static void accumulate(int k, MPI_Win w, struct memory* m) {
  MPI_Request all[4];
  int message = -1, mine = me * 1000 + k;
  memset(m->sums, 0, sizeof m->sums);
  for (int i = 0; i < few; ++i) m->swapped[i] = me + i + k;
  OK(MPI_Win_sync(w));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < few; ++i) adds[i] = (me + 1) * i + k;
  OK(MPI_Raccumulate(adds, few, MPI_INT, 0, AT(memory, sums), few, MPI_INT, MPI_SUM, w, &all[0]));
  OK(MPI_Rget_accumulate(adds, few, MPI_INT, before, few, MPI_INT, right, AT(memory, swapped), few, MPI_INT, MPI_REPLACE, w,
                         &all[1]));
  OK(MPI_Irecv(&message, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &all[2]));
  OK(MPI_Isend(&mine, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &all[3]));
  complete(all, 4, k);
  CHECK(message == left * 1000 + k, "%d, step %d", message, k);
  for (int i = 0; i < few; ++i) CHECK(before[i] == right + i + k, "element %d: %d, step %d", i, before[i], k);
  OK(MPI_Win_flush_all(w));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(w));
  const int sum = ranks * (ranks + 1) / 2;
  for (int i = 0; i < few; ++i) {
    CHECK(m->swapped[i] == (left + 1) * i + k, "element %d: %d, step %d", i, m->swapped[i], k);
    if (me == 0) CHECK(m->sums[i] == sum * i + ranks * k, "sum %d: %d, step %d", i, m->sums[i], k);
  }
  got(m->sums, sizeof m->sums);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  over_own = create_window(&own, sizeof own, 1);
  theirs = allocate_window(sizeof *theirs, 1, &over_theirs);
  OK(MPI_Win_lock_all(0, over_own));
  OK(MPI_Win_lock_all(0, over_theirs));
  for (int k = 0; k < steps; ++k) {
    const int which = k % 2;
    accumulate(k, which ? over_own : over_theirs, which ? &own : theirs);
    begin_some(k, which ? over_theirs : over_own, which ? theirs : &own);
    step(k);
    end_some(k, which ? over_theirs : over_own, which ? theirs : &own);
  }
  OK(MPI_Win_unlock_all(over_own));
  OK(MPI_Win_unlock_all(over_theirs));
  OK(MPI_Win_free(&over_own));
  OK(MPI_Win_free(&over_theirs));
  return finish();
}
