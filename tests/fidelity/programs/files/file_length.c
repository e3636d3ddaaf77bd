// Lengths: shortened under the offset, grown by ftruncate and fallocate.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("cut", "0123456789");
  const int cut = open(in("cut"), O_RDWR), grown = open(in("grown"), O_RDWR | O_CREAT, 0644);
  CHECK(reads(cut, "01234567"));
  OK(ftruncate(cut, 3));
  OK(ftruncate(grown, 70000));
  line();
  struct stat s;
  OK(fstat(cut, &s));
  CHECK(s.st_size == 3, "%ld", s.st_size);
  CHECK(lseek(cut, 0, SEEK_CUR) == 8);
  CHECK(writes(cut, "x"));
  CHECK(lseek(cut, 0, SEEK_END) == 9);
  OK(fstat(grown, &s));
  CHECK(s.st_size == 70000, "%ld", s.st_size);
  OK(ftruncate(grown, 5));
  OK(posix_fallocate(grown, 0, 9000));
  line();
  char found[9];
  CHECK(pread(cut, found, 9, 0) == 9 && memcmp(found, "012\0\0\0\0\0x", 9) == 0);
  CHECK(lseek(grown, 0, SEEK_END) == 9000);
  leave_place();
  return finish();
}
