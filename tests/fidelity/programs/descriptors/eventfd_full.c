// An event counter at its limit, and one of whose two descriptors one is closed.
#include "fidelity.h"

#include <fcntl.h>
#include <sys/eventfd.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const uint64_t most = UINT64_MAX - 1, one = 1;
  uint64_t found = 0;
  const int full = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), first = eventfd(0, 0), twin = dup(first);
  OK(write(full, &most, sizeof most));
  OK(write(first, &one, sizeof one));
  close(first);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(write(full, &one, sizeof one) == -1 && errno == EAGAIN);
    OK(read(full, &found, sizeof found));
    CHECK(found == most, "%lu", found);
    OK(write(full, &most, sizeof most));
    CHECK(fcntl(full, F_GETFD) == FD_CLOEXEC);
    OK(read(twin, &found, sizeof found));
    CHECK(found == 1, "%lu", found);
    OK(write(twin, &one, sizeof one));
  }
  return finish();
}
