// A file mapped privately: changed pages, unchanged ones, forbidden ones, the rest of the last page, and past the file.
#include "place.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static void handler(int number) { siglongjmp(back, number); }
static int touched(volatile const char* at) {
  const int got = sigsetjmp(back, 1);
  if (got != 0) return got;
  (void)*at;
  return 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  signal(SIGSEGV, handler);
  signal(SIGBUS, handler);
  enum { page = 4096 };
  const int fd = open(in("f"), O_RDWR | O_CREAT, 0644);
  for (int i = 0; i < 3 * page + 100; ++i) CHECK(write(fd, (char[]){(char)('a' + i / page)}, 1) == 1);
  char* const map = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  CHECK(map != MAP_FAILED);
  map[page] = 'X';
  map[3 * page + 200] = 'Y';
  OK(mprotect(map + 2 * page, page, PROT_NONE));
  close(fd);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(map[0] == 'a');
    CHECK(map[page] == 'X' + times && map[page + 1] == 'b');
    CHECK(touched(map + 2 * page) == SIGSEGV, "%d", touched(map + 2 * page));
    CHECK(map[3 * page] == 'd' && map[3 * page + 100] == 0 && map[3 * page + 200] == 'Y');
    CHECK(touched(map + 4 * page) == SIGBUS, "%d", touched(map + 4 * page));
    CHECK(touched(map + 7 * page) == SIGBUS, "%d", touched(map + 7 * page));
    map[page]++;
  }
  OK(mprotect(map + 2 * page, page, PROT_READ));
  CHECK(map[2 * page] == 'c');
  const int now = open(in("f"), O_RDONLY);
  char found;
  CHECK(pread(now, &found, 1, page) == 1 && found == 'b', "%c", found);
  leave_place();
  return finish();
}
