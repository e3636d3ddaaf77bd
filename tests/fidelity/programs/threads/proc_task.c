// A file of /proc of one thread of the process, opened by its number.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64], text[64];
  snprintf(name, sizeof name, "/proc/%d/task/%d/stat", getpid(), getpid());
  const int fd = open(name, O_RDONLY);
  OK(fd);
  for (int times = 0; times < 2; ++times) {
    line();
    memset(text, 0, sizeof text);
    CHECK(pread(fd, text, sizeof text - 1, 0) > 0 && atoi(text) == getpid(), "%s", strtok(text, " "));
  }
  return finish();
}
