// The flags that fcntl reports of a descriptor and of its open file.
#include "place.h"

static int flags_of_status(int fd) { return fcntl(fd, F_GETFL) & ~0100000; }   // O_LARGEFILE, which the kernel sets

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "text");
  const int closing = open(in("f"), O_RDONLY | O_CLOEXEC), staying = dup(closing),
            sync = open(in("f"), O_RDWR | O_DSYNC);
  const int still = open(in("f"), O_RDWR | O_NONBLOCK), later = open(in("f"), O_WRONLY),
            quiet = open(in("f"), O_NOATIME);
  const int whole = open(in("f"), O_RDWR | O_SYNC | O_CLOEXEC | O_APPEND);
  OK(fcntl(later, F_SETFL, O_APPEND | O_NONBLOCK));
  OK(fcntl(later, F_SETFD, FD_CLOEXEC));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(fcntl(closing, F_GETFD) == FD_CLOEXEC);
    CHECK(fcntl(staying, F_GETFD) == 0);
    CHECK(flags_of_status(closing) == O_RDONLY, "%o", flags_of_status(closing));
    CHECK(flags_of_status(sync) == (O_RDWR | O_DSYNC), "%o", flags_of_status(sync));
    CHECK(flags_of_status(still) == (O_RDWR | O_NONBLOCK), "%o", flags_of_status(still));
    CHECK(flags_of_status(later) == (O_WRONLY | O_APPEND | O_NONBLOCK), "%o", flags_of_status(later));
    CHECK(flags_of_status(quiet) == O_NOATIME, "%o", flags_of_status(quiet));
    CHECK(flags_of_status(whole) == (O_RDWR | O_SYNC | O_APPEND), "%o", flags_of_status(whole));
    CHECK(fcntl(later, F_GETFD) == FD_CLOEXEC);
    CHECK(fcntl(whole, F_GETFD) == FD_CLOEXEC);
  }
  leave_place();
  return finish();
}
