// A file that both ranks opened, and one deleted: each reads what the other writes, through its descriptor or its
// mapping.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64];
  int id = getpid(), fd = -1;
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "fidelity-deleted-%d", id);
  if (me == 0) OK(fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600)), OK(ftruncate(fd, 8192));
  together();
  if (me == 1) OK(fd = open(name, O_RDWR));
  int* const map = me == 0 ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : NULL;
  CHECK(map != MAP_FAILED);
  together();
  if (me == 1) OK(unlink(name));
  for (int round = 0; round < 3; ++round) {
    int written = 10 * round + me, found = -1;
    if (me == 0) map[0] = written;
    if (me == 1) CHECK(pwrite(fd, &written, sizeof written, 4096) == sizeof written);
    together();
    if (round < 2) line();
    CHECK(pread(fd, &found, sizeof found, me == 0 ? 4096 : 0) == sizeof found && found == 10 * round + 1 - me, "%d", found);
    together();
  }
  struct stat about;
  CHECK(fstat(fd, &about) == 0 && about.st_size == 8192 && about.st_nlink == 0);
  return finish();
}
