// A thread of rank 0 is in MPI_Allreduce, over a communicator of its own, at the lines; the one of rank 1 comes to it after each.
// ranks: 2
#include "../pair.h"

#include <pthread.h>

static MPI_Comm own;
static int allowed, done;

static void* body(void* extra) {
  for (int round = 0; round < 2; ++round) {
    while (me == 1 && __atomic_load_n(&allowed, __ATOMIC_SEQ_CST) <= round) usleep(1000);
    int value = 10 * me + round, sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own);
    CHECK(sum == 10 + 2 * round, "%d", sum);
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
  }
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  pthread_create(&thread, NULL, body, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) == round, "%d", done);
    together();
    __atomic_store_n(&allowed, round + 1, __ATOMIC_SEQ_CST);
    for (int tries = 0; tries < 3000 && __atomic_load_n(&done, __ATOMIC_SEQ_CST) == round; ++tries) usleep(1000);
    CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) == round + 1, "%d", done);
    together();
  }
  pthread_join(thread, NULL);
  MPI_Comm_free(&own);
  return finish();
}
