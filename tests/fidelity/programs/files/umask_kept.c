// The mask of new files' modes.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  for (int times = 0; times < 2; ++times) {
    umask(times == 0 ? 027 : 0);
    line();
    const int fd = open(in("f"), O_WRONLY | O_CREAT, 0666);
    struct stat s;
    OK(fstat(fd, &s));
    CHECK((s.st_mode & 0777) == (times == 0 ? 0640 : 0666), "%o", s.st_mode);
    OK(unlink(in("f")));
    close(fd);
  }
  leave_place();
  return finish();
}
