// One deleted file at several places: open twice, mapped twice, and longer than what is mapped.
#include "place.h"

#include <sys/mman.h>

enum { page = 4096 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = open(in("f"), O_RDWR | O_CREAT, 0640), reader = open(in("f"), O_RDONLY);
  const int closed = open(in("g"), O_RDWR | O_CREAT, 0600);
  OK(ftruncate(fd, 8 * page)), OK(ftruncate(closed, 4 * page));
  char* const low = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char* const high = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, reader, page);
  char* const one = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, closed, 0);
  char* const other = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, closed, 2 * page);
  close(closed);
  OK(unlink(in("f"))), OK(unlink(in("g")));
  CHECK(pwrite(fd, "end", 3, 7 * page) == 3);
  for (char times = 0; times < 2; ++times) {
    low[page] = times, one[3 * page] = times;
    line();
    char found[4] = {0};
    CHECK(high[0] == times && other[page] == times, "%d %d", high[0], other[page]);
    low[page + 1] = (char)(times + 1), other[page + 1] = (char)(times + 2);
    CHECK(high[1] == times + 1 && one[3 * page + 1] == times + 2, "%d %d", high[1], one[3 * page + 1]);
    CHECK(pread(reader, found, 2, page) == 2 && found[0] == times && found[1] == times + 1);
    CHECK(pread(reader, found, 4, 7 * page) == 4 && memcmp(found, "end", 3) == 0 && found[3] == 0);
    CHECK(write(reader, "x", 1) == -1 && errno == EBADF);
    struct stat s;
    OK(fstat(fd, &s));
    CHECK(s.st_size == 8 * page && (s.st_mode & 07777) == 0640 && s.st_nlink == 0, "%ld %o", s.st_size, s.st_mode);
  }
  leave_place();
  return finish();
}
