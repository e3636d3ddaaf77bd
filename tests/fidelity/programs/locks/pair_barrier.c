// A barrier that processes share: at each line two threads of rank 1 wait in it, and rank 0 comes to it after.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static pthread_barrier_t* barrier;
static int through;

static void* waits(void* extra) {
  (void)extra;
  for (int round = 0; round < 2; ++round) {
    const int found = pthread_barrier_wait(barrier);
    CHECK(found == 0 || found == PTHREAD_BARRIER_SERIAL_THREAD, "%d", found);
    __atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  barrier = map_common("barrier", 4096);
  if (me == 0) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes), pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    CHECK(pthread_barrier_init(barrier, &attributes, 3) == 0);
  }
  together();
  pthread_t threads[2];
  for (int i = 0; me == 1 && i < 2; ++i) pthread_create(&threads[i], NULL, waits, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    if (me == 1) CHECK(__atomic_load_n(&through, __ATOMIC_SEQ_CST) == 2 * round);
    together();
    if (me == 0) pthread_barrier_wait(barrier);
    if (me == 1) CHECK(comes_to(&through, 2 * round + 2), "%d", through);
  }
  for (int i = 0; me == 1 && i < 2; ++i) pthread_join(threads[i], NULL);
  leave_common_place();
  return finish();
}
