// Shared mappings that cannot be written to at the lines (PROT_READ, PROT_NONE). Those mapped through a descriptor for
// writing may be made writable, and the data written then is in the file. The others may not. "INV-74"
#include "place.h"

#include <sys/mman.h>
#include <sys/shm.h>

enum { page = 4096, length = 3 * page, kinds = 7 };
static const char* const kind[kinds] = {"file", "closed file", "deleted file", "memory file", "shared memory", "anonymous", "System V"};
static char shared_name[64];
static char* writable[kinds];
static char* forbidden[kinds];

static int opened(int which, int flags) {
  static int memory = -1;
  char name[64];
  switch (which) {
    case 3:
      if (memory < 0) {
        memory = memfd_create("protected", 0);
        OK(ftruncate(memory, length));
      }
      snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
      return open(name, flags & O_ACCMODE);
    case 4: return shm_open(shared_name, flags, 0600);
    default: return open(in(kind[which]), flags, 0600);
  }
}
static void map(int which, int protection) {
  if (which == 5) {
    writable[which] = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  } else if (which == 6) {
    const int id = shmget(IPC_PRIVATE, length, 0600);
    writable[which] = shmat(id, NULL, 0);
    forbidden[which] = shmat(id, NULL, SHM_RDONLY);
    OK(shmctl(id, IPC_RMID, NULL));
  } else {
    const int fd = opened(which, O_RDWR | O_CREAT), reader = opened(which, O_RDONLY);
    OK(ftruncate(fd, length));
    writable[which] = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    forbidden[which] = mmap(NULL, length, PROT_READ, MAP_SHARED, reader, 0);
    if (which != 0) close(fd);
    close(reader);
  }
  strcpy(writable[which] + page, "round 0");
  OK(mprotect(writable[which], which % 2 == 0 ? length : 2 * page, protection));
  if (forbidden[which] != NULL) OK(mprotect(forbidden[which], page, PROT_NONE));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  snprintf(shared_name, sizeof shared_name, "/%s", strrchr(place, '/') + 1);
  for (int i = 0; i < kinds; ++i) map(i, i % 3 == 0 ? PROT_NONE : PROT_READ);
  unlink(in(kind[2]));
  for (int round = 0; round < 2; ++round) {
    line();
    char before[16], after[16];
    snprintf(before, sizeof before, "round %d", round);
    snprintf(after, sizeof after, "round %d", round + 1);
    for (int i = 0; i < kinds; ++i) {
      if (forbidden[i] != NULL) {
        CHECK(mprotect(forbidden[i], length, PROT_READ | PROT_WRITE) == -1 && errno == EACCES, "%s", kind[i]);
        CHECK(mprotect(forbidden[i], length, PROT_READ) == 0, "%s", kind[i]);
        CHECK(strcmp(forbidden[i] + page, before) == 0, "%s: %.9s", kind[i], forbidden[i] + page);
      }
      const int well = mprotect(writable[i], length, PROT_READ | PROT_WRITE) == 0;
      CHECK(well, "%s: %s", kind[i], strerror(errno));
      if (!well) continue;
      CHECK(strcmp(writable[i] + page, before) == 0, "%s: %.9s", kind[i], writable[i] + page);
      strcpy(writable[i] + page, after);
      if (forbidden[i] != NULL) CHECK(strcmp(forbidden[i] + page, after) == 0, "%s: %.9s", kind[i], forbidden[i] + page);
      OK(mprotect(writable[i], length, round == 0 ? PROT_READ : PROT_NONE));
    }
    const int fd = open(in(kind[1]), O_RDONLY);
    CHECK(pread(fd, before, 8, page) == 8 && strcmp(before, after) == 0, "%s", before);
    close(fd);
  }
  OK(shm_unlink(shared_name));
  leave_place();
  return finish();
}
