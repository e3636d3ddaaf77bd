// Holes: in a file with a name and in a deleted one of 1 GB with a page of data.
#include "place.h"

static const off_t far = 1L << 30;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int named = open(in("named"), O_RDWR | O_CREAT, 0644), unnamed = open(in("unnamed"), O_RDWR | O_CREAT, 0644);
  OK(unlink(in("unnamed")));
  CHECK(pwrite(named, "far", 3, far) == 3);
  CHECK(pwrite(unnamed, "far", 3, far) == 3);
  for (int times = 0; times < 2; ++times) {
    line();
    const int both[] = {named, unnamed};
    for (int i = 0; i < 2; ++i) {
      struct stat s;
      char found[4] = {0};
      OK(fstat(both[i], &s));
      CHECK(s.st_size == far + 3, "%d: %ld", i, s.st_size);
      CHECK(s.st_blocks < 1000, "%d: %ld", i, s.st_blocks);
      CHECK(pread(both[i], found, 3, far) == 3 && memcmp(found, "far", 3) == 0, "%d: %s", i, found);
      CHECK(lseek(both[i], 0, SEEK_DATA) > 1000, "%d", i);
      OK(lseek(both[i], 0, SEEK_SET));
    }
  }
  leave_place();
  return finish();
}
