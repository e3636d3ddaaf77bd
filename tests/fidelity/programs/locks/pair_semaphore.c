// Semaphores in a file that both ranks map: one with posts that nobody has taken, one at which a thread of rank 1
// waits.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <semaphore.h>

static sem_t* all;
static int taken;

static void* waits(void* extra) {
  (void)extra;
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(sem_wait(&all[1]) == 0, "%s", strerror(errno));
    __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  all = map_common("semaphores", 4096);
  if (me == 0) OK(sem_init(&all[0], 1, 3)), OK(sem_init(&all[1], 1, 0));
  together();
  pthread_t thread;
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    int value = -1;
    CHECK(sem_getvalue(&all[0], &value) == 0 && value == 3 - round, "%d", value);
    if (me == 1) CHECK(__atomic_load_n(&taken, __ATOMIC_SEQ_CST) == round);
    together();
    if (me == 0) OK(sem_post(&all[1])), OK(sem_trywait(&all[0]));
    if (me == 1) CHECK(comes_to(&taken, round + 1), "%d", taken);
    together();
  }
  if (me == 1) pthread_join(thread, NULL);
  leave_common_place();
  return finish();
}
