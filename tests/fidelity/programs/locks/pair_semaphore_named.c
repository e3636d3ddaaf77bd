// A semaphore with a name that both ranks opened: its value at the lines, and that rank 0's posts reach rank 1.
// ranks: 2
#include "pair.h"

#include <semaphore.h>
#include <time.h>

static int take(sem_t* semaphore) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 1;
  return sem_timedwait(semaphore, &end);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64];
  int id = getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "/fidelity-pair-%d", id);
  sem_t* semaphore = SEM_FAILED;
  if (me == 0) semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  together();
  if (me == 1) semaphore = sem_open(name, 0);
  CHECK(semaphore != SEM_FAILED, "%s", strerror(errno));
  together();
  if (me == 0) OK(sem_unlink(name));
  for (int round = 0; round < 2; ++round) {
    line();
    int value = -1;
    CHECK(sem_getvalue(semaphore, &value) == 0 && value == 1, "%d", value);
    together();
    if (me == 0) OK(sem_post(semaphore));
    if (me == 1) CHECK(take(semaphore) == 0 && take(semaphore) == 0, "%s", strerror(errno));
    together();
    CHECK(sem_trywait(semaphore) == -1 && errno == EAGAIN);
    together();
    if (me == 1) OK(sem_post(semaphore));
    together();
  }
  OK(sem_close(semaphore));
  return finish();
}
