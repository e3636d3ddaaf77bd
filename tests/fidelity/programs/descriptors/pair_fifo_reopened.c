// A FIFO between the ranks that nobody has open at the lines: each message goes through a new opening.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) OK(mkfifo(in("fifo"), 0600));
  together();
  for (int round = 0; round < 3; ++round) {
    char text[32];
    snprintf(text, sizeof text, "message %d", round);
    const int fd = open(in("fifo"), me == 0 ? O_WRONLY : O_RDONLY);     // each waits for the other one
    OK(fd);
    if (me == 0) CHECK(writes(fd, text));
    else CHECK(reads(fd, text));
    close(fd);
    together();                                       // or the next opening meets this one
    struct stat s;
    CHECK(stat(in("fifo"), &s) == 0 && S_ISFIFO(s.st_mode));
    if (round < 2) line();
  }
  leave_common_place();
  return finish();
}
