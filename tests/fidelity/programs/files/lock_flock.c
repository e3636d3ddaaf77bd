// A lock of flock(): another opening of the file does not get it, and it is free when it is given up.
#include "place.h"

#include <sys/file.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int holder = open(in("f"), O_RDWR | O_CREAT, 0644), other = open(in("f"), O_RDWR);
  const int reader = open(in("g"), O_RDWR | O_CREAT, 0644), second = open(in("g"), O_RDWR);
  OK(flock(holder, LOCK_EX));
  OK(flock(reader, LOCK_SH));
  line();
  CHECK(flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  OK(flock(second, LOCK_SH | LOCK_NB));
  CHECK(flock(second, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  line();
  CHECK(flock(other, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  OK(flock(holder, LOCK_UN));
  OK(flock(other, LOCK_SH | LOCK_NB));
  leave_place();
  return finish();
}
