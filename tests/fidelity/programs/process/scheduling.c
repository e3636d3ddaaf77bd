// The scheduling policy of the main thread and of another.
#include "fidelity.h"

#include <pthread.h>
#include <sched.h>

static pthread_barrier_t barrier;

static void* other(void* unused) {
  const struct sched_param none = {0};
  OK(sched_setscheduler(0, SCHED_IDLE, &none));
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK(sched_getscheduler(0) == SCHED_IDLE, "%d", sched_getscheduler(0));
  }
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sched_param none = {0};
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  OK(sched_setscheduler(0, SCHED_BATCH, &none));
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    CHECK(sched_getscheduler(0) == SCHED_BATCH, "%d", sched_getscheduler(0));
  }
  pthread_join(thread, NULL);
  return finish();
}
