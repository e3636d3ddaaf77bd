// Files of /proc that were opened before: their contents describe the process that now runs.
#include "fidelity.h"

#include <fcntl.h>

static char text[1 << 20];

static const char* whole(int fd) {
  size_t length = 0;
  OK(lseek(fd, 0, SEEK_SET));
  for (ssize_t n; (n = read(fd, text + length, sizeof text - 1 - length)) > 0;) length += (size_t)n;
  text[length] = 0;
  return text;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64];
  const int maps = open("/proc/self/maps", O_RDONLY), status = open("/proc/self/status", O_RDONLY);
  const int memory = open("/proc/self/mem", O_RDWR), dir = open("/proc/self/fd", O_RDONLY);
  CHECK(read(maps, text, 100) == 100);
  for (int times = 0; times < 2; ++times) {
    line();
    snprintf(name, sizeof name, "Pid:\t%d\n", getpid());
    CHECK(strstr(whole(status), name) != NULL, "pid");
    CHECK(strstr(whole(maps), "[stack]") != NULL);
    CHECK(strstr(whole(maps), "/program") != NULL);
    int number = 41;
    CHECK(pwrite(memory, &(int){42}, sizeof number, (off_t)(uintptr_t)&number) == sizeof number);
    CHECK(number == 42);
    snprintf(name, sizeof name, "%d", memory);
    CHECK(faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
  }
  return finish();
}
