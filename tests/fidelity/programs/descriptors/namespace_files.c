// Files that stand for the namespaces that the process is in, and one of the machine's first process: they are so after
// the lines.
#include "fidelity.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char* const kinds[] = {"net", "uts", "mnt", "ipc", "pid", "user"};
enum { all = sizeof kinds / sizeof *kinds };

static int open_own(const char* kind) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
  return open(path, O_RDONLY);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int files[all];
  char text[4096] = "";
  for (int i = 0; i < all; ++i) files[i] = open_own(kinds[i]);
  const int first = open("/proc/1/status", O_RDONLY);
  for (int times = 0; times < 2; ++times) {
    line();
    for (int i = 0; i < all; ++i) {
      struct stat before, now;
      const int fd = open_own(kinds[i]);
      if (files[i] < 0) continue;
      OK(fstat(files[i], &before));
      OK(fstat(fd, &now));
      CHECK(before.st_ino == now.st_ino && before.st_dev == now.st_dev, "%s", kinds[i]);
      close(fd);
    }
    if (first < 0) continue;
    OK(lseek(first, 0, SEEK_SET));
    CHECK(read(first, text, sizeof text - 1) > 0, "%s", strerror(errno));
    CHECK(strstr(text, "Pid:\t1\n") != NULL);
  }
  return finish();
}
