// POSIX shared memory that all ranks map: what one writes the others read; its name is removed while it is mapped, or
// is not.
#include "place.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char names[2][64];
  int* maps[2];
  int fds[2];
  int id = getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) {
    snprintf(names[i], sizeof names[i], "/fidelity-%d-%d", id, i);
    if (me == 0) OK(ftruncate(fds[i] = shm_open(names[i], O_RDWR | O_CREAT | O_EXCL, 0600), 4096));
    MPI_Barrier(MPI_COMM_WORLD);
    if (me != 0) fds[i] = shm_open(names[i], O_RDWR, 0);
    maps[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], 0);
    CHECK(maps[i] != MAP_FAILED);
    maps[i][me] = 100 + me;
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == 1 && me == 0) OK(shm_unlink(names[i]));
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
      int found = 0;
      CHECK(pread(fds[i], &found, sizeof found, 0) == sizeof found && found == maps[i][0], "map %d: %d", i, found);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (me == 0) OK(shm_unlink(names[0]));
  return finish();
}
