// Files that are mapped and deleted: shared with its descriptor open, shared with it closed, and private.
#include "place.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("open", "open    "), make_file("closed", "closed  "), make_file("private", "private ");
  const int open_one = open(in("open"), O_RDWR), closed_one = open(in("closed"), O_RDWR),
            third = open(in("private"), O_RDONLY);
  char* const shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open_one, 0);
  char* const closed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, closed_one, 0);
  char* const own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, third, 0);
  close(closed_one), close(third);
  OK(unlink(in("open"))), OK(unlink(in("closed"))), OK(unlink(in("private")));
  for (char times = 0; times < 2; ++times) {
    line();
    const char last = times == 0 ? ' ' : '0';
    CHECK(memcmp(shared, "open   ", 7) == 0 && shared[7] == last, "%.8s", shared);
    CHECK(memcmp(closed, "closed ", 7) == 0 && closed[7] == last, "%.8s", closed);
    CHECK(memcmp(own, "private", 7) == 0 && own[7] == last, "%.8s", own);
    shared[7] = closed[7] = own[7] = (char)('0' + times);
    char found[8];
    CHECK(pread(open_one, found, 8, 0) == 8 && found[7] == shared[7], "%.8s", found);
    CHECK(pwrite(open_one, "OPEN", 4, 0) == 4);
    CHECK(memcmp(shared, "OPEN", 4) == 0, "%.8s", shared);
    CHECK(pwrite(open_one, "open", 4, 0) == 4);
  }
  leave_place();
  return finish();
}
