// A file that is written past the page cache.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  static char block[4096] __attribute__((aligned(4096))), found[4096] __attribute__((aligned(4096)));
  const int fd = open(in("blocks"), O_RDWR | O_CREAT | O_DIRECT, 0644);
  OK(fd);
  for (int times = 0; times < 3; ++times) {
    memset(block, 'a' + times, sizeof block);
    CHECK(write(fd, block, sizeof block) == sizeof block, "%s", strerror(errno));
    if (times < 2) line();
    CHECK((fcntl(fd, F_GETFL) & O_DIRECT) != 0);
    CHECK(pread(fd, found, sizeof found, 4096L * times) == sizeof found);
    CHECK(memcmp(found, block, sizeof found) == 0);
  }
  CHECK(lseek(fd, 0, SEEK_CUR) == 3 * 4096);
  leave_place();
  return finish();
}
