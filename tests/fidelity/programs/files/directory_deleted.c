// A directory that is open and deleted.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkdir(in("gone"), 0755));
  const int fd = open(in("gone"), O_RDONLY | O_DIRECTORY);
  OK(rmdir(in("gone")));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(strcmp(last_part_of_descriptor(fd), "gone (deleted)") == 0, "%s", last_part_of_descriptor(fd));
    struct stat s;
    OK(fstat(fd, &s));
    CHECK(S_ISDIR(s.st_mode));
    CHECK(openat(fd, "f", O_WRONLY | O_CREAT, 0644) == -1 && errno == ENOENT, "%s", strerror(errno));
  }
  leave_place();
  return finish();
}
