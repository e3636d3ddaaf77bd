// A program in a sealed memory file, one in a memory file that is not sealed, and a deleted one: children run each,
// after each line. A memory file that was opened for writing once more cannot be run until that descriptor is closed
// (ETXTBSY), as natively.
#include "place.h"

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

static void fill(int fd) {
  const int from = open("/bin/echo", O_RDONLY);
  struct stat s;
  OK(fstat(from, &s));
  CHECK(sendfile(fd, from, NULL, (size_t)s.st_size) == s.st_size);
  OK(fchmod(fd, 0700));
  close(from);
}

/// out: the exit status, or 200 and what fexecve failed with
static int run(int fd) {
  int ends[2], status = -1;
  char said[16] = "";
  OK(pipe(ends));
  const pid_t child = fork();
  if (child == 0) {
    char* words[] = {(char*)"tool", (char*)"it ran", NULL}, *none[] = {NULL};
    dup2(ends[1], 1);
    fexecve(fd, words, none);
    _exit(200 + errno % 50);
  }
  close(ends[1]);
  const ssize_t n = read(ends[0], said, sizeof said - 1);
  close(ends[0]);
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) != 0 || (n == 7 && strcmp(said, "it ran\n") == 0), "%s", said);
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int sealed = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING), plain = memfd_create("plain", MFD_CLOEXEC);
  fill(sealed);
  OK(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW));
  fill(plain);
  const int writer = open(in("deleted"), O_RDWR | O_CREAT, 0700);
  fill(writer);
  const int deleted = open(in("deleted"), O_RDONLY | O_CLOEXEC);
  close(writer);
  OK(unlink(in("deleted")));
  for (int times = 0; times < 3; ++times) {
    CHECK(run(sealed) == 0);
    CHECK(run(plain) == 0);
    CHECK(run(deleted) == 0);
    CHECK(fcntl(sealed, F_GET_SEALS) == (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW), "%x", fcntl(sealed, F_GET_SEALS));
    CHECK(pwrite(sealed, "x", 1, 0) == -1 && errno == EPERM);
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", plain);
    const int again = open(own, O_RDWR);
    CHECK(run(plain) == 200 + ETXTBSY, "%d", run(plain));
    close(again);
    if (times < 2) line();
  }
  leave_place();
  return finish();
}
