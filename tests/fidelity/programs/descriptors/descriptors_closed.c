// A program that closes everything except its standard three, as daemons do, one by one and all at once, and opens
// more.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "text");
  for (int times = 0; times < 2; ++times) {
    if (ranks == 1) {                        // MPI's own may be among them, natively
      if (times == 0) for (int fd = 40; fd < 5000; ++fd) close(fd);
      else OK(close_range(100, ~0u, 0));
    }
    const int fd = open(in("f"), O_RDONLY);
    CHECK(fd < 40, "%d", fd);
    line();
    CHECK(reads(fd, "text"));
    close(fd);
    CHECK(fcntl(fd, F_GETFD) == -1);
  }
  leave_place();
  return finish();
}
