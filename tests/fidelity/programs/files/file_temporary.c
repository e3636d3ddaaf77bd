// A file without a name (O_TMPFILE), which gets one at the end.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = open(place, O_TMPFILE | O_RDWR, 0640);
  CHECK(writes(fd, "one "));
  line();
  CHECK(writes(fd, "two "));
  line();
  CHECK(writes(fd, "three"));
  OK(lseek(fd, 0, SEEK_SET));
  CHECK(reads(fd, "one two three"));
  struct stat s;
  OK(fstat(fd, &s));
  CHECK((s.st_mode & 07777) == 0640, "%o", s.st_mode);
  CHECK(s.st_nlink == 0);
  char own[64];
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  OK(linkat(AT_FDCWD, own, AT_FDCWD, in("named"), AT_SYMLINK_FOLLOW));
  CHECK(holds("named", "one two three"));
  leave_place();
  return finish();
}
