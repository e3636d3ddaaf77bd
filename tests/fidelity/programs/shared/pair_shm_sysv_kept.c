// System V shared memory that both ranks attach, and nobody removes before the end: it is the same segment after a restart.
// ranks: 2
#include "pair.h"

#include <sys/shm.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int id = -1;
  if (me == 0) OK(id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600));
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int* const map = shmat(id, NULL, 0);
  CHECK(map != (void*)-1);
  together();
  for (int round = 0; round < 3; ++round) {
    if (me == 0) map[round] = 50 + round;
    together();
    if (round < 2) line();
    for (int i = 0; i <= round; ++i) CHECK(map[i] == 50 + i, "%d: %d", i, map[i]);
    together();
  }
  struct shmid_ds about;
  CHECK(shmctl(id, IPC_STAT, &about) == 0 && about.shm_nattch == 2, "%lu", about.shm_nattch);
  together();
  OK(shmdt(map));
  together();
  if (me == 0) OK(shmctl(id, IPC_RMID, NULL));
  return finish();
}
