// A file that both ranks map privately and change: each sees its own changes, and the file has none.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("f", O_RDWR);
  if (me == 0) CHECK(writes(fd, "the contents of the file")), OK(ftruncate(fd, 8192));
  together();
  char* const map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  CHECK(map != MAP_FAILED);
  close(fd);
  map[4] = me == 0 ? 'A' : 'B';
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(!strncmp(map, me == 0 ? "the Aontents of" : "the Bontents of", 15), "%.20s", map);
    map[5000] = (char)(1 + me + round);
    together();
    CHECK(map[5000] == 1 + me + round);
    const int again = open(in("f"), O_RDONLY);
    CHECK(reads(again, "the contents of the file"));
    close(again);
    together();
  }
  OK(munmap(map, 8192));
  leave_common_place();
  return finish();
}
