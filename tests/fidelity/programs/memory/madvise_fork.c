// Memory that children must not have, and memory that they get empty.
#include "fidelity.h"

#include <sys/mman.h>
#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 16 * 4096 };
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char* const absent = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  char* const empty = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  OK(madvise(absent, size, MADV_DONTFORK));
  OK(madvise(empty, size, MADV_WIPEONFORK));
  memset(absent, 1, size), memset(empty, 2, size);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(absent[size - 1] == 1 && empty[size - 1] == 2);
    const pid_t child = fork();
    if (child == 0) {
      unsigned char there[16];
      _exit((mincore(absent, size, there) == 0) | (empty[100] != 0) << 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) & 1) == 0, "the child has what it is not to have");
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) & 2) == 0, "the child has what was to be empty");
  }
  return finish();
}
