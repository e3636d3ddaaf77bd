// Children that share the table of descriptors with the program (CLONE_FILES). They open a file and a duplicate of it,
// put another file at one of the program's numbers, and close a descriptor. Then they end.
#include "place.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { kept = 77, twin = 78 };
static int exchanged, closed;
static char stack[1 << 16];

static int work(void* names) {
  const char* const* const name = names;
  const int fd = open(name[0], O_RDWR | O_CREAT, 0600), other = open(name[1], O_RDWR | O_CREAT, 0600);
  if (fd < 0 || other < 0 || write(fd, "twelve bytes", 12) != 12 || write(other, "another", 7) != 7) return 1;
  if (dup2(fd, kept) < 0 || dup2(fd, twin) < 0 || dup2(other, exchanged) < 0) return 2;
  return close(fd) != 0 || close(other) != 0 || close(closed) != 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("mine", "mine");
  const int mine = open(in("mine"), O_RDONLY);
  exchanged = dup(mine);
  closed = dup(mine);
  char one[PATH_MAX], two[PATH_MAX];
  strcpy(one, in("one"));
  strcpy(two, in("two"));
  char* names[] = {one, two};
  int status = -1;
  const pid_t child = clone(work, stack + sizeof stack, CLONE_FILES | SIGCHLD, names);
  CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
  for (int times = 0; times < 2; ++times) {
    line();
    char text[32] = "";
    CHECK(pread(kept, text, sizeof text, 0) == 12 && memcmp(text, "twelve bytes", 12) == 0, "%s", text);
    CHECK(lseek(kept, 3 + times, SEEK_SET) == 3 + times && lseek(twin, 0, SEEK_CUR) == 3 + times);
    CHECK(pread(exchanged, text, sizeof text, 0) == 7 && memcmp(text, "another", 7) == 0, "%s", text);
    CHECK(pread(mine, text, sizeof text, 0) == 4 && memcmp(text, "mine", 4) == 0, "%s", text);
    CHECK(fcntl(closed, F_GETFD) == -1 && errno == EBADF);
  }
  leave_place();
  return finish();
}
