// System V semaphores: their values at the lines, and a thread of rank 1 that waits for one, which rank 0 raises after.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <sys/sem.h>

static int id, taken;
static int change(unsigned short which, short by) {
  struct sembuf how = {.sem_num = which, .sem_op = by};
  return semop(id, &how, 1);
}
static void* waits(void* extra) {
  (void)extra;
  for (int turn = 0; turn < 2; ++turn) {
    int found;
    // never made again after a signal, whatever its flags
    while ((found = change(1, -1)) != 0 && errno == EINTR) { }
    CHECK(found == 0, "%s", strerror(errno));
    __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (me == 0) OK(id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600)), OK(change(0, 4));
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  pthread_t thread;
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    CHECK(semctl(id, 0, GETVAL) == 4 - round, "%d", semctl(id, 0, GETVAL));
    if (me == 1) CHECK(__atomic_load_n(&taken, __ATOMIC_SEQ_CST) == round);
    together();
    if (me == 0) OK(change(0, -1)), OK(change(1, 1));
    if (me == 1) CHECK(comes_to(&taken, round + 1), "%d", taken);
    together();
  }
  if (me == 1) pthread_join(thread, NULL);
  together();
  if (me == 0) OK(semctl(id, 0, IPC_RMID));
  return finish();
}
