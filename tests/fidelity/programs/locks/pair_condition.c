// A condition that processes share: a thread of rank 1 waits at it during the lines, and rank 0 signals it after each.
// ranks: 2
#include "pair.h"

#include <pthread.h>

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int turn;
};
static struct shared* all;
static int seen;

static void* waits(void* extra) {
  (void)extra;
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(pthread_mutex_lock(&all->mutex) == 0);
    while (all->turn == turn) CHECK(pthread_cond_wait(&all->condition, &all->mutex) == 0);
    CHECK(pthread_mutex_unlock(&all->mutex) == 0);
    __atomic_fetch_add(&seen, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  all = map_common("condition", 4096);
  if (me == 0) {
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_condition;
    pthread_mutexattr_init(&of_mutex), pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&of_condition), pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&all->mutex, &of_mutex), pthread_cond_init(&all->condition, &of_condition);
  }
  together();
  pthread_t thread;
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    if (me == 1) CHECK(__atomic_load_n(&seen, __ATOMIC_SEQ_CST) == round);
    together();
    if (me == 0) {
      CHECK(pthread_mutex_lock(&all->mutex) == 0);
      ++all->turn;
      CHECK(pthread_cond_signal(&all->condition) == 0 && pthread_mutex_unlock(&all->mutex) == 0);
    }
    if (me == 1) CHECK(comes_to(&seen, round + 1), "%d", seen);
  }
  if (me == 1) pthread_join(thread, NULL);
  together();
  leave_common_place();
  return finish();
}
