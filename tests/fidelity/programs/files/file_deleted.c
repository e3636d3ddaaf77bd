// Files that no longer have a name: a small one, one of some MB, one with a hole, one open for reading only.
#include "place.h"

enum { large = 5 << 20 };
static unsigned char bytes[large], found[large];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  for (int i = 0; i < large; ++i) bytes[i] = (unsigned char)(i * 2654435761u >> 13);
  const int small = open(in("small"), O_RDWR | O_CREAT, 0600), big = open(in("big"), O_RDWR | O_CREAT, 0600);
  const int append = open(in("small"), O_WRONLY | O_APPEND), reader = open(in("small"), O_RDONLY);
  CHECK(writes(small, "one "));
  CHECK(reads(reader, "on"));
  CHECK(write(big, bytes, large) == large);
  OK(unlink(in("small")));
  OK(unlink(in("big")));
  make_file("small", "another");
  line();
  CHECK(writes(append, "two "));
  CHECK(reads(reader, "e two "));
  CHECK(writes(small, "TWO "));
  CHECK(pread(big, found, large, 0) == large);
  CHECK(memcmp(found, bytes, large) == 0);
  CHECK(lseek(big, 0, SEEK_CUR) == large);
  struct stat s;
  OK(fstat(small, &s));
  CHECK(s.st_nlink == 0, "%lu", s.st_nlink);
  CHECK((s.st_mode & 07777) == 0600, "%o", s.st_mode);
  OK(ftruncate(big, large / 2));
  line();
  CHECK(writes(append, "three"));
  OK(lseek(small, 0, SEEK_SET));
  CHECK(reads(small, "one TWO three"));
  CHECK(read(small, found, 1) == 0);
  CHECK(pread(big, found, large, 0) == large / 2);
  CHECK(holds("small", "another"));
  leave_place();
  return finish();
}
