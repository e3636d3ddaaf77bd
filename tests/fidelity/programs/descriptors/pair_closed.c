// Rank 1 has closed its standard input and output; a file that it opens gets the number 0.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) make_file("f", "what is in the file");
  together();
  int fd = -1;
  if (me == 1) OK(close(0)), OK(close(1)), OK(fd = open(in("f"), O_RDONLY)), CHECK(fd == 0), CHECK(reads(fd, "what "));
  for (int round = 0; round < 2; ++round) {
    line();
    if (me == 1) {
      CHECK(reads(fd, round == 0 ? "is " : "in "));
      CHECK(fcntl(1, F_GETFD) == -1 && errno == EBADF);
      const int next = open("/dev/null", O_WRONLY);
      CHECK(next == 1, "%d", next);
      close(next);
    } else CHECK(fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0);
    together();
  }
  leave_common_place();
  return finish();
}
