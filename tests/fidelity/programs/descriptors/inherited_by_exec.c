// Descriptors of a program started by fork and exec: those without close-on-exec at their offsets, and none of the
// others.
#include "place.h"

#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "onetwo");
  const int shared = open(in("f"), O_RDONLY), private = open(in("f"), O_RDONLY | O_CLOEXEC);
  const int cleared = open(in("f"), O_RDONLY | O_CLOEXEC);
  OK(fcntl(cleared, F_SETFD, 0));
  for (int times = 0; times < 2; ++times) {
    line();
    char script[300];
    snprintf(script, sizeof script,
             "test \"$(head -c 3 <&%d)\" = %s && test ! -e /proc/self/fd/%d && test -e /proc/self/fd/%d", shared,
             times == 0 ? "one" : "two", private, cleared);
    const pid_t child = fork();
    if (child == 0) execl("/bin/bash", "bash", "-c", script, (char*)NULL), _exit(99);
    int status = -1;
    OK(waitpid(child, &status, 0));
    CHECK(status == 0, "%x", status);
    OK(lseek(shared, 3 * (times + 1), SEEK_SET));
  }
  leave_place();
  return finish();
}
