// A file that rank 1 maps past its end, which rank 0 makes longer after each line.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("f", O_RDWR);
  if (me == 0) OK(ftruncate(fd, 4096)), CHECK(pwrite(fd, "zero", 4, 0) == 4);
  together();
  char* map = NULL;
  if (me == 1) CHECK((map = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) != MAP_FAILED);
  for (int round = 0; round < 2; ++round) {
    line();
    const off_t at = 4096 * (round + 1);
    if (me == 0) OK(ftruncate(fd, at + 4096)), CHECK(pwrite(fd, round ? "two" : "one", 3, at) == 3);
    together();
    if (me == 1) {
      CHECK(!memcmp(map, "zero", 4) && !memcmp(map + at, round ? "two" : "one", 3), "%.4s", map + at);
      map[at + 10] = 'x';
    }
    together();
    char found = 0;
    if (me == 0) CHECK(pread(fd, &found, 1, at + 10) == 1 && found == 'x');
  }
  if (me == 1) munmap(map, 4 * 4096);
  close(fd);
  leave_common_place();
  return finish();
}
