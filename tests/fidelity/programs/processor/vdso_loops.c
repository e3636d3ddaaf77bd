// Threads that ask for the time and the processor without a pause, through the vDSO and rseq, while lines are met. A
// signal often finds one in the vDSO, whose frame a restart must not hold (INV-64).
#include "fidelity.h"

#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>

static int stop, rounds[3];
static void* body(void* which) {
  struct timespec before = {0, 0}, now;
  unsigned cpu, node;
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    for (int i = 0; i < 100; ++i) {
      if ((long)which == 0) {
        CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
        CHECK(now.tv_sec > before.tv_sec || (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec),
              "time goes back");
        before = now;
      } else if ((long)which == 1) {
        struct timeval day;
        CHECK(gettimeofday(&day, NULL) == 0 && day.tv_sec > 1000000000 && time(NULL) >= day.tv_sec - 1);
      } else {
        CHECK(getcpu(&cpu, &node) == 0 && cpu < CPU_SETSIZE && sched_getcpu() >= 0, "%u", cpu);
      }
    }
    __atomic_fetch_add(&rounds[(long)which], 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}
static void go_on(void) {
  for (int i = 0; i < 3; ++i)
    for (const int before = __atomic_load_n(&rounds[i], __ATOMIC_SEQ_CST);
         __atomic_load_n(&rounds[i], __ATOMIC_SEQ_CST) < before + 20;)
      usleep(500);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  go_on(), line(), go_on(), line(), go_on();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return finish();
}
