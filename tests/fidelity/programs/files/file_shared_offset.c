// Duplicates share one offset; two openings of one file do not.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("input", "abcdefghijklmnopqrstuvwxyz");
  const int first = open(in("input"), O_RDONLY), second = dup(first), third = fcntl(second, F_DUPFD, 100), fourth = 77;
  OK(dup2(third, fourth));
  const int other = open(in("input"), O_RDONLY);
  CHECK(reads(first, "abc"));
  CHECK(reads(other, "a"));
  close(first);
  for (int times = 0; times < 2; ++times) {
    line();
    const char* const parts[][4] = {{"de", "fg", "h", "bc"}, {"i", "jk", "lm", "def"}};
    CHECK(third == 100);
    CHECK(reads(second, parts[times][0]));
    CHECK(reads(third, parts[times][1]));
    CHECK(reads(fourth, parts[times][2]));
    CHECK(reads(other, parts[times][3]));
    CHECK(fcntl(first, F_GETFD) == -1 && errno == EBADF);
  }
  leave_place();
  return finish();
}
