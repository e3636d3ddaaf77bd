// System V shared memory that all ranks attach, removed or not.
#include "fidelity.h"

#include <sys/shm.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int ids[2];
  int* maps[2];
  for (int i = 0; i < 2; ++i) {
    if (me == 0) OK(ids[i] = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600));
    MPI_Bcast(&ids[i], 1, MPI_INT, 0, MPI_COMM_WORLD);
    maps[i] = shmat(ids[i], NULL, 0);
    CHECK(maps[i] != (void*)-1);
    maps[i][me] = 100 + me;
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == 1 && me == 0) OK(shmctl(ids[i], IPC_RMID, NULL));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int times = 0; times < 2; ++times) {
    line();
    for (int i = 0; i < 2; ++i) {
      for (int r = 0; r < ranks; ++r) CHECK(maps[i][r] == 100 * (times + 1) + r, "map %d: %d", i, maps[i][r]);
      MPI_Barrier(MPI_COMM_WORLD);
      maps[i][me] = 100 * (times + 2) + me;
      MPI_Barrier(MPI_COMM_WORLD);
      for (int r = 0; r < ranks; ++r) CHECK(maps[i][r] == 100 * (times + 2) + r, "map %d: %d", i, maps[i][r]);
    }
    struct shmid_ds s;
    CHECK(shmctl(ids[0], IPC_STAT, &s) == 0 && (int)s.shm_nattch == ranks, "%lu", s.shm_nattch);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  OK(shmdt(maps[0])), OK(shmdt(maps[1]));
  if (me == 0) OK(shmctl(ids[0], IPC_RMID, NULL));
  return finish();
}
