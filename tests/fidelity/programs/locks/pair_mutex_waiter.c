// A mutex that processes share: rank 0 holds it at the lines, and a thread of rank 1 waits for it.
// ranks: 2
#include "pair.h"

#include <pthread.h>

struct shared {
  pthread_mutex_t mutex;
  int value;
};
static struct shared* all;
static int got;

static void* waits(void* extra) {
  (void)extra;
  CHECK(pthread_mutex_lock(&all->mutex) == 0);
  CHECK(all->value == 5, "%d", all->value);
  CHECK(pthread_mutex_unlock(&all->mutex) == 0);
  __atomic_store_n(&got, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  all = map_common("mutex", 4096);
  pthread_t thread;
  if (me == 0) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes), pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&all->mutex, &attributes);
    CHECK(pthread_mutex_lock(&all->mutex) == 0);
  }
  together();
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  usleep(20000);
  line();
  CHECK(!__atomic_load_n(&got, __ATOMIC_SEQ_CST));
  line();
  usleep(10000);
  CHECK(!__atomic_load_n(&got, __ATOMIC_SEQ_CST));
  together();
  if (me == 0) all->value = 5, CHECK(pthread_mutex_unlock(&all->mutex) == 0);
  if (me == 1) pthread_join(thread, NULL), CHECK(got);
  leave_common_place();
  return finish();
}
