// That memory of the process may be merged with equal memory, and when each of its threads hears of errors of memory.
#include "fidelity.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>

#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67
#define PR_GET_MEMORY_MERGE 68
#endif

static sem_t ask, answered;

static void* body(void* unused) {
  OK(prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_LATE, 0, 0));
  sem_post(&answered);
  for (int round = 0; round < 2; ++round) {
    while (sem_wait(&ask) != 0) {}
    CHECK(prctl(PR_MCE_KILL_GET, 0, 0, 0, 0) == PR_MCE_KILL_LATE);
    sem_post(&answered);
  }
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int merges = prctl(PR_SET_MEMORY_MERGE, 1, 0, 0, 0) == 0;      // Linux 6.4, and only where it is built in
  OK(prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0));
  pthread_t thread;
  sem_init(&ask, 0, 0), sem_init(&answered, 0, 0);
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  while (sem_wait(&answered) != 0) {}
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(!merges || prctl(PR_GET_MEMORY_MERGE, 0, 0, 0, 0) == 1);
    CHECK(prctl(PR_MCE_KILL_GET, 0, 0, 0, 0) == PR_MCE_KILL_EARLY);
    sem_post(&ask);
    while (sem_wait(&answered) != 0) {}
  }
  CHECK(pthread_join(thread, NULL) == 0);
  return finish();
}
