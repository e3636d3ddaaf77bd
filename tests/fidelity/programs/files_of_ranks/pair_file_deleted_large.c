// A deleted file of 3 MiB that both ranks have open, and one of each rank's own under the same name. Each reads what
// the other writes. /proc tells both the name that the file had.
// ranks: 2
#include "place.h"

enum { bytes = 3 << 20 };
static char block[bytes], found[bytes];

static int is_named(int fd, const char* end) {
  char own[64], name[PATH_MAX] = "";
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  OK(readlink(own, name, sizeof name - 1));
  const size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (me == 0) make_place();
  MPI_Bcast(place, sizeof place, MPI_CHAR, 0, MPI_COMM_WORLD);
  int own = -1;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == me) {
      own = open(in("own"), O_RDWR | O_CREAT | O_EXCL, 0600);
      OK(unlink(in("own")));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int fd = open(in("shared"), O_RDWR | O_CREAT, 0600);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) OK(unlink(in("shared")));
  for (int times = 0; times < 3; ++times) {
    const int writer = times % 2;
    memset(block, 'a' + times, bytes);
    if (me == writer) CHECK(pwrite(fd, block, bytes, 0) == bytes);
    memset(block, 'A' + me, bytes);
    CHECK(pwrite(own, block, bytes, 0) == bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (times < 2) line();
    CHECK(pread(own, found, bytes, 0) == bytes && memcmp(found, block, bytes) == 0);
    memset(block, 'a' + times, bytes);
    CHECK(pread(fd, found, bytes, 0) == bytes && memcmp(found, block, bytes) == 0);
    CHECK(is_named(fd, "/shared (deleted)") && is_named(own, "/own (deleted)"));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (me == 0) leave_place();
  return finish();
}
