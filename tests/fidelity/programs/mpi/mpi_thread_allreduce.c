// A thread of rank 0 is in MPI_Allreduce, over a communicator of its own, when the checkpoint is asked for; one of rank
// 1 comes to it a little later.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Comm own;
static int allowed, done;

/// Rank 0's is in a round's collective from its beginning on, and not before: rank 1's comes to the next one only after the
/// checkpoint.
static void* body(void* extra) {
  for (int round = 0; round < 2; ++round) {
    await_count(&allowed, round + 1);
    int value = 10 * me + round, sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own);
    CHECK(sum == 10 + 2 * round, "%d", sum);
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
  }
  return extra;
}

static int round_now;
static void allow(void) { count_one(&allowed); }
static void allows_it_later(void) {
  usleep(60000);
  allow();
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  pthread_create(&thread, NULL, body, NULL);
  for (; round_now < 2; ++round_now) {
    if (me == 0) allow();
    usleep(20000);
    CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) == round_now, "%d", done);
    together();
    line_while(me == 1 ? allows_it_later : NULL);
    CHECK(comes_to(&done, round_now + 1), "%d", done);
    together();
  }
  pthread_join(thread, NULL);
  MPI_Comm_free(&own);
  return finish();
}
