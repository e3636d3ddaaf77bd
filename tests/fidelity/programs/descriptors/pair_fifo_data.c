// A FIFO from rank 0 to rank 1 that has data in it at the lines.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) OK(mkfifo(in("fifo"), 0600));
  together();
  const int fd = open(in("fifo"), me == 0 ? O_WRONLY : O_RDONLY);
  OK(fd);
  for (int round = 0; round < 2; ++round) {
    char text[32];
    snprintf(text, sizeof text, "message %d", round);
    if (me == 0) CHECK(writes(fd, text), "%s", strerror(errno));
    together();
    line();
    if (me == 1) OK(fcntl(fd, F_SETFL, O_NONBLOCK));
    if (me == 1) CHECK(reads(fd, text), "%s", strerror(errno));
    together();
  }
  close(fd);
  leave_common_place();
  return finish();
}
