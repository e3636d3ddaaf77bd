// Calls that move data between descriptors: sendfile, splice, tee, copy_file_range, preadv and pwritev, before and
// after.
#include "place.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("from", "0123456789abcdefghijklmnopqrstuvwxyz");
  const int from = open(in("from"), O_RDONLY), to = open(in("to"), O_RDWR | O_CREAT, 0600);
  int ends[2], others[2];
  OK(pipe(ends)), OK(pipe(others));
  for (int round = 0; round < 3; ++round) {
    char parts[2][3], found[8];
    struct iovec two[2] = {{parts[0], 2}, {parts[1], 3}};
    CHECK(sendfile(to, from, NULL, 4) == 4, "%s", strerror(errno));
    CHECK(splice(from, NULL, ends[1], NULL, 3, 0) == 3 && tee(ends[0], others[1], 3, 0) == 3, "%s", strerror(errno));
    CHECK(read(others[0], found, 3) == 3 && found[0] == "4bi"[round], "%c", found[0]);
    if (round < 2) line();
    CHECK(splice(ends[0], NULL, to, NULL, 3, 0) == 3, "%s", strerror(errno));
    CHECK(preadv(from, two, 2, 10) == 5 && !memcmp(parts[0], "ab", 2) && !memcmp(parts[1], "cde", 3));
    CHECK(pwritev(to, two, 2, 100) == 5);
    off_t at = 30;
    CHECK(copy_file_range(from, &at, to, NULL, 2, 0) == 2 && at == 32, "%s", strerror(errno));
    CHECK(lseek(from, 0, SEEK_CUR) == 7 * (round + 1) && lseek(to, 0, SEEK_CUR) == 9 * (round + 1));
  }
  CHECK(lseek(to, 0, SEEK_SET) == 0 && reads(to, "0123456uv789abcduvefghijkuv"));
  close(from), close(to);
  leave_place();
  return finish();
}
