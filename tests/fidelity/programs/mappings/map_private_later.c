// Files that are mapped privately and written to later: a page that the program has not changed shows the new data.
#include "place.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  enum { page = 4096 };
  const int fd = open(in("f"), O_RDWR | O_CREAT, 0600);
  OK(ftruncate(fd, 2 * page));
  char* const at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  CHECK(pwrite(fd, "0", 2, 0) == 2 && *(volatile char*)at == '0');
  at[page] = 'x';
  for (int round = 0; round < 2; ++round) {
    line();
    const char text[2] = {(char)('1' + round), 0};
    CHECK(pwrite(fd, text, 2, 0) == 2 && pwrite(fd, text, 2, page) == 2);
    CHECK(strcmp(at, text) == 0, "%.4s", at);
    CHECK(at[page] == 'x', "%c", at[page]);
  }
  leave_place();
  return finish();
}
