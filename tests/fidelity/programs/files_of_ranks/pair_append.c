// A file to which both ranks append: every record is in it once and complete, before and after the lines.
// ranks: 2
#include "pair.h"

enum { times = 20, size = 16 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("log", O_RDWR | O_APPEND);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < times; ++i) {
      char record[size + 1];
      snprintf(record, sizeof record, "%03d of rank %d.\n", round * times + i, me);
      CHECK(write(fd, record, size) == size);
    }
    if (round < 2) line();
    together();
    int next[2] = {0, 0};
    char found[size + 1] = "";
    for (off_t at = 0; pread(fd, found, size, at) == size; at += size) {
      int number = -1, rank = -1;
      CHECK(sscanf(found, "%d of rank %d.", &number, &rank) == 2 && rank >= 0 && rank < 2, "%s", found);
      if (rank == 0 || rank == 1) CHECK(number == next[rank]++, "%s", found);
    }
    CHECK(next[0] == (round + 1) * times && next[1] == next[0], "%d %d", next[0], next[1]);
    together();
  }
  CHECK((fcntl(fd, F_GETFL) & O_APPEND) != 0);
  close(fd);
  leave_common_place();
  return finish();
}
