// Files that are being written: from the start, and at an offset of their own inside the existing data.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("both", "0123456789");
  const int only = open(in("only"), O_WRONLY | O_CREAT | O_TRUNC, 0640), both = open(in("both"), O_RDWR);
  CHECK(writes(only, "one "));
  CHECK(reads(both, "012"));
  CHECK(writes(both, "abc"));
  line();
  CHECK(writes(only, "two "));
  CHECK(read(only, place, 1) == -1 && errno == EBADF);
  CHECK(reads(both, "67"));
  line();
  CHECK(writes(only, "three"));
  CHECK(writes(both, "d"));
  CHECK(reads(both, "9"));
  CHECK(holds("only", "one two three"));
  CHECK(holds("both", "012abc67d9"));
  struct stat s;
  OK(fstat(only, &s));
  CHECK((s.st_mode & 07777) == 0640, "%o", s.st_mode);
  leave_place();
  return finish();
}
