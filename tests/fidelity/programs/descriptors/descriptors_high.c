// Numbers of the program's own choice, around 512 and beyond.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "abcdef");
  const int fd = open(in("f"), O_RDONLY);
  const int numbers[] = {511, 512, 513, 520, 600, 1000};
  enum { many = sizeof numbers / sizeof *numbers };
  for (int i = 0; i < many; ++i) {
    const int own = open(in("f"), O_RDONLY);
    OK(lseek(own, i % 6, SEEK_SET));
    CHECK(dup2(own, numbers[i]) == numbers[i], "%d: %s", numbers[i], strerror(errno));
    close(own);
  }
  for (int times = 0; times < 2; ++times) {
    line();
    for (int i = 0; i < many; ++i)
      CHECK(lseek(numbers[i], 0, SEEK_CUR) == i % 6, "%d: %ld", numbers[i], lseek(numbers[i], 0, SEEK_CUR));
    CHECK(fcntl(fd, F_DUPFD, 3) < 100);
  }
  leave_place();
  return finish();
}
