// A file that one rank writes while the other has it mapped shared. The first rank reads what the other stores in the
// mapping.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("f", O_RDWR);
  if (me == 0) OK(ftruncate(fd, 3 * 4096));
  together();
  char* map = NULL;
  if (me == 1) {
    map = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED);
    close(fd);
  }
  for (int round = 0; round < 3; ++round) {
    char text[32], found[32] = "";
    snprintf(text, sizeof text, "round %d", round);
    if (me == 0) CHECK(pwrite(fd, text, sizeof text, 4096 + 100 * round) == sizeof text);
    if (me == 1) memcpy(map + 8192 + 100 * round, text, sizeof text);
    together();
    if (round < 2) line();
    for (int r = 0; r <= round; ++r) {
      snprintf(text, sizeof text, "round %d", r);
      if (me == 1) CHECK(!strcmp(map + 4096 + 100 * r, text), "%.20s", map + 4096 + 100 * r);
      if (me == 0) CHECK(pread(fd, found, sizeof found, 8192 + 100 * r) == sizeof found && !strcmp(found, text), "%s",
                         found);
    }
    together();
  }
  if (me == 1) OK(munmap(map, 3 * 4096));
  else close(fd);
  leave_common_place();
  return finish();
}
