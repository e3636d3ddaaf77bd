// A pipe whose reading end is closed: writing says so.
#include "place.h"

#include <signal.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  OK(pipe(ends));
  close(ends[0]);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE, "%s", strerror(errno));
    struct stat s;
    OK(fstat(ends[1], &s));
    CHECK(S_ISFIFO(s.st_mode), "%o", s.st_mode);
  }
  return finish();
}
