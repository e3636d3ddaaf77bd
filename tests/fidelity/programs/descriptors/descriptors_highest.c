// The highest number that the limit of open files allows.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "abcdef");
  const int fd = open(in("f"), O_RDONLY), highest = (int)sysconf(_SC_OPEN_MAX) - 1;
  OK(dup2(fd, highest));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(reads(highest, times == 0 ? "ab" : "d"));
    CHECK(reads(fd, times == 0 ? "c" : "ef"));
    CHECK(fcntl(fd, F_DUPFD, highest) == -1 && errno == EMFILE);
  }
  leave_place();
  return finish();
}
