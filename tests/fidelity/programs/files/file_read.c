// A file that is being read, at an offset and past its end.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("input", "first second third");
  const int fd = open(in("input"), O_RDONLY), far = open(in("input"), O_RDONLY);
  CHECK(reads(fd, "first "));
  CHECK(lseek(far, 1000, SEEK_SET) == 1000);
  line();
  CHECK(lseek(fd, 0, SEEK_CUR) == 6, "%ld", lseek(fd, 0, SEEK_CUR));
  CHECK(reads(fd, "second "));
  CHECK(lseek(far, 0, SEEK_CUR) == 1000);
  CHECK(write(fd, "x", 1) == -1 && errno == EBADF);
  line();
  CHECK(reads(fd, "third"));
  CHECK(read(fd, place, 1) == 0);
  CHECK(read(far, place, 1) == 0);
  leave_place();
  return finish();
}
