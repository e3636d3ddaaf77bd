// POSIX shared memory with a name: rank 0 maps it, rank 1 opens it again after each line.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64];
  int id = getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "/fidelity-named-%d", id);
  int* map = NULL;
  if (me == 0) {
    const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    OK(ftruncate(fd, 4096));
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED);
    close(fd);
  }
  for (int round = 0; round < 3; ++round) {
    if (me == 0) map[round] = 100 + round;
    together();
    if (round < 2) line();
    if (me == 1) {
      const int fd = shm_open(name, O_RDWR, 0);
      OK(fd);
      int* const own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      for (int i = 0; own != MAP_FAILED && i <= round; ++i) CHECK(own[i] == 100 + i, "%d: %d", i, own[i]);
      if (own != MAP_FAILED) own[500] = round, munmap(own, 4096);
      close(fd);
    }
    together();
    if (me == 0) CHECK(map[500] == round, "%d", map[500]);
    together();
  }
  if (me == 0) OK(shm_unlink(name));
  return finish();
}
