// A lock of flock(), which rank 0 holds at the first line and rank 1 at the second; and one that both share.
// ranks: 2
#include "pair.h"

#include <sys/file.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int turns = open_common("turns", O_RDWR), shared = open_common("shared", O_RDWR);
  OK(flock(shared, LOCK_SH));
  for (int holder = 0; holder < 2; ++holder) {
    together();
    if (me == holder) OK(flock(turns, LOCK_EX | LOCK_NB));
    together();
    line();
    if (me != holder) CHECK(flock(turns, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    const int again = open(in("shared"), O_RDWR);
    CHECK(flock(again, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    close(again);
    together();
    if (me == holder) OK(flock(turns, LOCK_UN));
  }
  close(turns), close(shared);
  leave_common_place();
  return finish();
}
