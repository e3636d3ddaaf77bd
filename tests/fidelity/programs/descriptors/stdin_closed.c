// Without standard input: the next file gets its number.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("input", "first second");
  close(0);
  line();
  CHECK(fcntl(0, F_GETFD) == -1 && errno == EBADF);
  const int fd = open(in("input"), O_RDONLY);
  CHECK(fd == 0, "%d", fd);
  CHECK(reads(fd, "first "));
  line();
  char word[16] = {0};
  CHECK(scanf("%15s", word) == 1 && strcmp(word, "second") == 0, "%s", word);
  leave_place();
  return finish();
}
