// A thread for each message, begun and ended at a high rate, as both ranks come to the lines.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static int stop, received;
static void* sends(void* index) {
  const int value = (int)(long)index;
  MPI_Send(&value, 1, MPI_INT, other(), 6, MPI_COMM_WORLD);
  return NULL;
}
static void* receives(void* extra) {
  for (int i = 0;; ++i) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, other(), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (value == INT_MAX) return extra;
    CHECK(value == i, "%d, not %d", value, i);
    __atomic_store_n(&received, i + 1, __ATOMIC_SEQ_CST);
  }
}
static void* makes(void* extra) {
  long i = 0;
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    pthread_t one;
    pthread_create(&one, NULL, sends, (void*)i++), pthread_join(one, NULL);
  }
  sends((void*)(long)INT_MAX);
  return extra;
}
static void go_on(void) {
  const int before = __atomic_load_n(&received, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&received, __ATOMIC_SEQ_CST) < before + 50) usleep(1000);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t of[2];
  pthread_create(&of[0], NULL, receives, NULL), pthread_create(&of[1], NULL, makes, NULL);
  go_on(), line(), go_on(), line(), go_on();
  together();                                    // the other one has had enough of this one's
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 2; ++i) pthread_join(of[i], NULL);
  return finish();
}
