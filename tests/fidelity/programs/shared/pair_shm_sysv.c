// System V shared memory that both ranks attach, one of them for reading only; it was removed when both had it.
// ranks: 2
#include "pair.h"

#include <sys/shm.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int id = -1;
  if (me == 0) OK(id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600));
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int* const map = shmat(id, NULL, me == 0 ? 0 : SHM_RDONLY);
  CHECK(map != (void*)-1);
  together();
  if (me == 0) OK(shmctl(id, IPC_RMID, NULL));
  for (int round = 0; round < 3; ++round) {
    if (me == 0) map[round] = 50 + round;
    together();
    if (round < 2) line();
    for (int i = 0; i <= round; ++i) CHECK(map[i] == 50 + i, "%d: %d", i, map[i]);
    together();
  }
  OK(shmdt(map));
  return finish();
}
