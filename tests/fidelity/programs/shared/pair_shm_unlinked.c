// POSIX shared memory that both ranks have open and map; rank 1 takes the name away: what one writes the other reads.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64];
  int id = getpid(), fd = -1;
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "/fidelity-pair-%d", id);
  if (me == 0) OK(fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600)), OK(ftruncate(fd, 8192));
  together();
  if (me == 1) OK(fd = shm_open(name, O_RDWR, 0));
  int* const map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(map != MAP_FAILED);
  together();
  if (me == 1) OK(shm_unlink(name));
  for (int round = 0; round < 3; ++round) {
    map[me] = 10 * round + me;
    together();
    if (round < 2) line();
    CHECK(map[0] == 10 * round && map[1] == 10 * round + 1, "%d %d", map[0], map[1]);
    int found = -1;
    CHECK(pread(fd, &found, sizeof found, other() * (off_t)sizeof found) == sizeof found &&
          found == 10 * round + other());
    together();
  }
  CHECK(shm_open(name, O_RDWR, 0) == -1 && errno == ENOENT);
  return finish();
}
