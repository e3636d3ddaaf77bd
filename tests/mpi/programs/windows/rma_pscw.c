// Post, start, complete and wait: with one peer, with several, with NOCHECK, waited for or tested. Each step leaves one
// window's epoch exposed and another's accessed, and in each some rank is late with its post.
#include "memory.h"

enum { most = 12000, most_ranks = 8 };
struct memory {
  int put[most_ranks][most / most_ranks], ring[most], shown[most];
};
struct exposed {
  MPI_Win win;
  struct memory* memory;
  int in[most], out[most], n;
};
static struct memory own FOR_A_WINDOW;
static struct exposed ring, all;
static MPI_Win idle;
static MPI_Group right_one, left_one, everybody;

static void pause_a_little(void) {
  const struct timespec pause = {0, 2000000};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

/// The right rank's window is accessed, the left rank accesses this one's. Posted and started in one step, completed and
/// awaited in the next.
static void begin_ring(int k) {
  fill(ring.memory->shown, most, me, 2, k);
  ring.n = k % 3 == 0 ? most : 1 + k % 50;
  if (k % ranks == me) pause_a_little();           // the left rank waits for this post
  OK(MPI_Win_post(left_one, k % 2 ? MPI_MODE_NOSTORE : 0, ring.win));
  OK(MPI_Win_start(right_one, 0, ring.win));
  fill(ring.out, ring.n, me, right, k);
  OK(MPI_Put(ring.out, ring.n, MPI_INT, right, AT(memory, ring), ring.n, MPI_INT, ring.win));
  OK(MPI_Get(ring.in, ring.n, MPI_INT, right, AT(memory, shown), ring.n, MPI_INT, ring.win));
}
static void end_ring(int k) {
  int over = 0;
  OK(MPI_Win_complete(ring.win));
  if (k % 2)
    while (!over) OK(MPI_Win_test(ring.win, &over));
  else OK(MPI_Win_wait(ring.win));
  SAME(ring.in, ring.n, right, 2, k);
  SAME(ring.memory->ring, ring.n, left, me, k);
}

/// All access all, posts known before the starts. Exposed in one step; accessed in the next, by some late.
static void expose_to_all(int k) {
  all.n = 1 + k % (most / most_ranks);
  OK(MPI_Win_post(everybody, k % 2 ? MPI_MODE_NOCHECK : 0, all.win));
}
static void access_all(int k) {
  if (k % 2) OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_start(everybody, k % 2 ? MPI_MODE_NOCHECK : 0, all.win));
  fill(all.out, all.n, me, 3, k);
  for (int r = 0; r < ranks; ++r)
    OK(MPI_Put(all.out, all.n, MPI_INT, r, AT(memory, put) + (MPI_Aint)sizeof all.memory->put[0] * me, all.n, MPI_INT,
               all.win));
  if ((k + 1) % ranks == me) pause_a_little();     // all wait for this completion
  OK(MPI_Win_complete(all.win));
  OK(MPI_Win_wait(all.win));
  for (int r = 0; r < ranks; ++r) SAME(all.memory->put[r], all.n, r, 3, k);
}

/// With nobody. In a window of its own: MPICH 4.0.2 does not end this start if others have posted for the next one.
static void empty_epochs(void) {
  OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, idle));
  OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, idle));
  OK(MPI_Win_complete(idle));
  OK(MPI_Win_wait(idle));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  CHECK(ranks <= most_ranks);
  ring.memory = &own;
  ring.win = create_window(&own, sizeof own, 1);
  all.memory = allocate_window(sizeof own, 1, &all.win);
  idle = create_window(NULL, 0, 1);
  OK(MPI_Win_get_group(all.win, &everybody));
  OK(MPI_Group_incl(everybody, 1, &right, &right_one));
  OK(MPI_Group_incl(everybody, 1, &left, &left_one));
  for (int k = 0; k < steps; ++k) {
    if (k > 0) end_ring(k - 1), access_all(k - 1);
    empty_epochs();
    begin_ring(k);
    expose_to_all(k);
    step(k);
  }
  if (steps > 0) end_ring(steps - 1), access_all(steps - 1);
  OK(MPI_Group_free(&right_one));
  OK(MPI_Group_free(&left_one));
  OK(MPI_Group_free(&everybody));
  OK(MPI_Win_free(&idle));
  OK(MPI_Win_free(&ring.win));
  OK(MPI_Win_free(&all.win));
  return finish();
}
