/* Everything that maps memory: whatever the program gets lies in the window, and does what it does natively. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { page = 4096 };
static const size_t mib = 1u << 20;

static void fill(unsigned char* p, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; i += 509) p[i] = (unsigned char)(seed + i);
}
static void check_fill(const unsigned char* p, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; i += 509) CHECK(p[i] == (unsigned char)(seed + i));
}

static void heap(void) {
  unsigned char* blocks[300];
  for (unsigned i = 0; i < 300; ++i) {
    const size_t n = (size_t)17 << (i % 17);
    blocks[i] = malloc(n);
    check_place(blocks[i]);
    fill(blocks[i], n, i);
  }
  for (unsigned i = 0; i < 300; ++i) check_fill(blocks[i], (size_t)17 << (i % 17), i);
  for (unsigned i = 0; i < 300; i += 2) free(blocks[i]);
  for (unsigned i = 1; i < 300; i += 2) free(blocks[i]);
  malloc_trim(0);
  unsigned char* big = malloc(4 * mib);          /* grows by mremap */
  fill(big, 4 * mib, 5);
  for (size_t n = 8; n <= 256; n *= 2) {
    big = realloc(big, n * mib);
    check_place(big);
    check_fill(big, 4 * mib, 5);
  }
  big = realloc(big, 2 * mib);
  check_fill(big, 2 * mib, 5);
  free(big);
  void* const aligned = aligned_alloc(mib, 4 * mib);
  check_place(aligned);
  CHECK((uintptr_t)aligned % mib == 0);
  free(aligned);
}

static void program_break(void) {
  unsigned char* const start = sbrk(0);
  check_place(start);
  CHECK(sbrk(10 * page) == start);
  memset(start, 7, 10 * page);
  CHECK(sbrk(0) == start + 10 * page);
  CHECK(brk(start) == 0 && sbrk(0) == start);
  CHECK(sbrk(page) == start && start[0] == 0);   /* given back and zero again */
}

static void mappings(void) {
  const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
  unsigned char* const a = mmap(NULL, 64 * page, both, anonymous, -1, 0);
  check_place(a);
  fill(a, 64 * page, 9);
  CHECK(munmap(a + 16 * page, 16 * page) == 0);
  unsigned char* const hole = mmap(a + 16 * page, page, both, anonymous, -1, 0);
  CHECK(hole == a + 16 * page);                                  /* a hint that is free is taken */
  CHECK(mmap(a, page, both, anonymous | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED && errno == EEXIST);
  CHECK(mmap(a + page, page, both, anonymous | MAP_FIXED, -1, 0) == a + page && a[page] == 0);
  CHECK(mmap(a + 1, page, both, anonymous | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EINVAL);
  CHECK(mmap(NULL, 0, both, anonymous, -1, 0) == MAP_FAILED && errno == EINVAL);
  CHECK(mmap(NULL, page, both, MAP_SHARED, 1000, 0) == MAP_FAILED && errno == EBADF);
  CHECK(mprotect(a, 8 * page, PROT_READ) == 0 && madvise(a, page, MADV_DONTNEED) == 0);
  CHECK(munmap(a, 64 * page) == 0 && munmap(a, 64 * page) == 0);  /* unmapping nothing is no error */
  void* const huge = mmap(NULL, (size_t)1 << 40, both, anonymous | MAP_NORESERVE, -1, 0);
  check_place(huge);
  CHECK(huge != MAP_FAILED && munmap(huge, (size_t)1 << 40) == 0);
  void* const wrong = mmap((void*)0x7000000000, page, both, anonymous, -1, 0);   /* only a hint */
  check_place(wrong);
  CHECK(wrong != MAP_FAILED && munmap(wrong, page) == 0);
}

static void remappings(void) {
  const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
  unsigned char* a = mmap(NULL, 8 * page, both, anonymous, -1, 0);
  fill(a, 8 * page, 3);
  CHECK(mremap(a, 8 * page, 4 * page, 0) == a);
  unsigned char* const back = mmap(a + 4 * page, 4 * page, both, anonymous | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(back == a + 4 * page);
  CHECK(mremap(a, 4 * page, 8 * page, 0) == MAP_FAILED && errno == ENOMEM);
  a = mremap(a, 4 * page, 1024 * page, MREMAP_MAYMOVE);
  check_place(a);
  check_fill(a, 4 * page, 3);
  CHECK(a[1024 * page - 1] == 0);
  // What the kernel refuses takes nothing away.
  CHECK(mremap(a, 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, a + 2 * page) == MAP_FAILED && errno == EINVAL);
  CHECK(mremap(a, 4 * page, 4 * page, MREMAP_FIXED, back) == MAP_FAILED && errno == EINVAL);
  CHECK(mremap(a, 4 * page, 4 * page, 64) == MAP_FAILED && errno == EINVAL);
  check_fill(a, 4 * page, 3);
  CHECK(mremap(a, 1024 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, back) == back);
  check_fill(back, 4 * page, 3);
  CHECK(munmap(back, 4 * page) == 0);
}

static void files(void) {
  const int fd = open("mapped", O_CREAT | O_RDWR, 0600);
  CHECK(fd >= 0 && ftruncate(fd, 3 * page) == 0);
  char* const shared = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char* const own = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, page);
  check_place(shared);
  check_place(own);
  strcpy(shared + page, "written");
  CHECK(strcmp(own, "written") == 0);
  strcpy(own, "private");
  char text[8] = "";
  CHECK(pread(fd, text, 7, page) == 7 && strcmp(text, "written") == 0);
  CHECK(msync(shared, 3 * page, MS_SYNC) == 0 && munmap(shared, 3 * page) == 0 && munmap(own, page) == 0 && close(fd) == 0);
  const int segment = shmget(IPC_PRIVATE, 5 * page, 0600);
  CHECK(segment >= 0);
  char* const one = shmat(segment, NULL, 0);
  char* const two = shmat(segment, NULL, SHM_RDONLY);
  check_place(one);
  check_place(two);
  strcpy(one, "segment");
  CHECK(strcmp(two, "segment") == 0 && shmdt(one) == 0 && shmdt(two) == 0 && shmctl(segment, IPC_RMID, NULL) == 0);
  CHECK(shmdt(one) == -1 && errno == EINVAL);
}

/* After all this the only mappings outside are those that were there before: the lower half made none for the program. */
static size_t mappings_outside(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  char line[512];
  size_t n = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    const uintptr_t at = strtoull(line, NULL, 16);
    if (at >= 0x500000000000 && strstr(line, "[vsyscall]") == NULL) ++n;
  }
  fclose(maps);
  return n;
}

int main(void) {
  const size_t before = mappings_outside();
  for (int round = 0; round < 3; ++round) {
    heap();
    program_break();
    mappings();
    remappings();
    files();
  }
  if (in_window_run()) CHECK(mappings_outside() == before);
  int on_stack = 0;
  check_place(&on_stack);
  check_place((const void*)(uintptr_t)main);
  check_place((const void*)(uintptr_t)malloc);
  puts("memory is where it must be");
}
