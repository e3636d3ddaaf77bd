// A pipe that is full though it has fewer bytes than its size: each write began a new page.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int ends[2], bytes = 0;
  OK(pipe2(ends, O_NONBLOCK));
  static char part[3000];
  for (ssize_t n; (n = write(ends[1], part, sizeof part)) > 0;) bytes += (int)n;
  CHECK(bytes < 65536, "%d", bytes);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(write(ends[1], part, sizeof part) == -1 && errno == EAGAIN);
    CHECK(read(ends[0], part, sizeof part) == sizeof part);
    CHECK(write(ends[1], part, sizeof part) == sizeof part, "%s", strerror(errno));
  }
  return finish();
}
