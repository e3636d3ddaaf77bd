// A file that both ranks write, each at offsets of its own: by pwrite, and at an offset that it keeps.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("f", O_RDWR), at = 100 * me;
  char text[64], expected[64];
  OK(lseek(fd, 1000 + at, SEEK_SET));
  for (int round = 0; round < 3; ++round) {
    const int length = snprintf(text, sizeof text, "rank %d round %d.", me, round);
    CHECK(pwrite(fd, text, (size_t)length, at + 20 * round) == length);
    CHECK(write(fd, text, (size_t)length) == length);
    if (round < 2) line();
    CHECK(lseek(fd, 0, SEEK_CUR) == 1000 + at + length * (round + 1), "%ld", (long)lseek(fd, 0, SEEK_CUR));
    together();
    for (int r = 0; r < 2; ++r) {
      char found[64] = "";
      snprintf(expected, sizeof expected, "rank %d round %d.", r, round);
      CHECK(pread(fd, found, (size_t)length, 100 * r + 20 * round) == length && !strcmp(found, expected), "%s", found);
      CHECK(pread(fd, found, (size_t)length, 1000 + 100 * r + round * length) == length && !strcmp(found, expected),
            "%s", found);
    }
  }
  close(fd);
  leave_common_place();
  return finish();
}
