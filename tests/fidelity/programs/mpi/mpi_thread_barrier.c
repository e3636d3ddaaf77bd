// A thread of rank 1 is in MPI_Barrier, over a communicator of its own, when the checkpoint is asked for; rank 0 comes
// to it a little later.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Comm own;
static int allowed, through;

/// In a round's barrier from its beginning on, and not before: rank 0 comes to the next one only after the checkpoint.
static void* waits(void* extra) {
  for (int round = 0; round < 2; ++round) {
    await_count(&allowed, round + 1);
    MPI_Barrier(own);
    __atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
  }
  return extra;
}

static void comes_later(void) {
  usleep(60000);
  MPI_Barrier(own);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  for (int round = 0; round < 2; ++round) {
    count_one(&allowed);
    usleep(20000);
    if (me == 1) CHECK(__atomic_load_n(&through, __ATOMIC_SEQ_CST) == round, "%d", through);
    together();
    line_while(me == 0 ? comes_later : NULL);
    if (me == 1) CHECK(comes_to(&through, round + 1), "%d", through);
    together();
  }
  if (me == 1) pthread_join(thread, NULL);
  MPI_Comm_free(&own);
  return finish();
}
