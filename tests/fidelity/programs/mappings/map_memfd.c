// Memory with a descriptor: mapped and coherent, its name, its seals, its length.
#include "fidelity.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int fd = memfd_create("scratch", MFD_ALLOW_SEALING),
            sealed = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  OK(ftruncate(fd, 8192));
  char* const map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  strcpy(map + 100, "begun");
  CHECK(write(sealed, "fixed", 5) == 5);
  OK(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
  for (int times = 0; times < 2; ++times) {
    line();
    char found[64] = {0}, own[32];
    CHECK(strcmp(map + 100, times == 0 ? "begun" : "gone on") == 0, "%.9s", map + 100);
    strcpy(map + 100, "gone on");
    CHECK(pread(fd, found, 8, 100) == 8 && strcmp(found, "gone on") == 0, "%s", found);
    CHECK(fcntl(sealed, F_GET_SEALS) == (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), "%d", fcntl(sealed, F_GET_SEALS));
    CHECK(fcntl(fd, F_GET_SEALS) == 0, "%d", fcntl(fd, F_GET_SEALS));
    CHECK(pwrite(sealed, "x", 1, 0) == -1 && errno == EPERM);
    CHECK(pread(sealed, found, 6, 0) == 5 && memcmp(found, "fixed", 5) == 0);
    CHECK(fcntl(fd, F_GETFD) == 0 && fcntl(sealed, F_GETFD) == FD_CLOEXEC);
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    memset(found, 0, sizeof found);
    CHECK(readlink(own, found, sizeof found - 1) > 0 && strcmp(found, "/memfd:scratch (deleted)") == 0, "%s", found);
  }
  return finish();
}
