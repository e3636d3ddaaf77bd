// A FIFO from rank 0 to rank 1 that is open and empty at the lines.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) OK(mkfifo(in("fifo"), 0600));
  together();
  const int fd = open(in("fifo"), me == 0 ? O_WRONLY : O_RDONLY);
  OK(fd);
  for (int round = 0; round < 3; ++round) {
    char text[32];
    snprintf(text, sizeof text, "message %d", round);
    if (me == 0) CHECK(writes(fd, text), "%s", strerror(errno));
    else CHECK(reads(fd, text));
    if (round < 2) line();
  }
  together();
  char none;
  if (me == 0) close(fd);
  else CHECK(read(fd, &none, 1) == 0), close(fd);
  leave_common_place();
  return finish();
}
