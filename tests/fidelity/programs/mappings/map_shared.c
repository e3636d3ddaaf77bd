// A file mapped shared: the program's writes are in the file, and others' writes to the file are in the mapping. Also a
// file that is mapped twice, and one that is closed.
#include "place.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  enum { length = 3 * 4096 };
  const int fd = open(in("f"), O_RDWR | O_CREAT, 0644), other = open(in("closed"), O_RDWR | O_CREAT, 0644);
  OK(ftruncate(fd, length));
  OK(ftruncate(other, length));
  char* const map = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const char* const twin = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096);
  char* const closed = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
  close(other);
  strcpy(map + 4096, "begun");
  strcpy(closed + 5000, "begun");
  for (int times = 0; times < 2; ++times) {
    line();
    char found[16] = {0};
    const char *const before = times == 0 ? "begun" : "gone on", *const after = times == 0 ? "gone on" : "ended";
    CHECK(strcmp(map + 4096, before) == 0, "%.9s", map + 4096);
    CHECK(strcmp(twin, before) == 0, "%.9s", twin);
    CHECK(strcmp(closed + 5000, before) == 0, "%.9s", closed + 5000);
    strcpy(map + 4096, after);
    strcpy(closed + 5000, after);
    CHECK(strcmp(twin, after) == 0, "%.9s", twin);
    CHECK(pread(fd, found, 15, 4096) == 15 && strcmp(found, after) == 0, "%s", found);
    const int again = open(in("closed"), O_RDONLY);
    CHECK(pread(again, found, 15, 5000) == 15 && strcmp(found, after) == 0, "%s", found);
    close(again);
    CHECK(pwrite(fd, after, 6, 9000) == 6);
    CHECK(memcmp(map + 9000, after, 5) == 0, "%.9s", map + 9000);
  }
  leave_place();
  return finish();
}
