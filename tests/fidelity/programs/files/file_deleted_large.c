// A deleted scratch file of 72 MiB of data and a hole of 1 TiB, open twice. The program overwrites parts of it between
// the lines. Also a memory file of 3 MiB, half of which is mapped.
#include "place.h"

#include <sys/mman.h>

enum { block = 1 << 20, blocks = 72, memory_blocks = 3 };
static const off_t far = 1L << 40;
static unsigned words[block / sizeof(unsigned)];

static void make(int number) {
  for (unsigned i = 0; i < block / sizeof *words; ++i) words[i] = (i + 1) * 2654435761u ^ (unsigned)number * 40503u;
}
static int holds_block(int fd, off_t at, int number) {
  static unsigned found[block / sizeof(unsigned)];
  make(number);
  return pread(fd, found, block, at) == block && memcmp(found, words, block) == 0;
}
static void put(int fd, off_t at, int number) {
  make(number);
  CHECK(pwrite(fd, words, block, at) == block);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = open(in("scratch"), O_RDWR | O_CREAT, 0600), append = open(in("scratch"), O_WRONLY | O_APPEND);
  OK(unlink(in("scratch")));
  for (int b = 0; b < blocks - 1; ++b) put(fd, (off_t)b * block, b);
  put(fd, far, blocks - 1);
  const int memory = memfd_create("parts", MFD_CLOEXEC);
  for (int b = 0; b < memory_blocks; ++b) put(memory, (off_t)b * block, 1000 + b);
  unsigned* const half = mmap(NULL, block, PROT_READ | PROT_WRITE, MAP_SHARED, memory, block);
  CHECK(half != MAP_FAILED);
  for (int times = 1; times <= 2; ++times) {
    line();
    struct stat s;
    OK(fstat(fd, &s));
    CHECK(s.st_size == far + block + 3 * (times - 1), "%ld", s.st_size);
    CHECK(s.st_blocks < 2L * blocks * block / 512, "%ld", s.st_blocks);
    CHECK(s.st_nlink == 0);
    for (int b = 0; b < blocks - 1; ++b) CHECK(holds_block(fd, (off_t)b * block, b == 7 && times == 2 ? 777 : b), "%d", b);
    CHECK(holds_block(fd, far, blocks - 1));
    CHECK(writes(append, "end"));
    put(fd, 7 * (off_t)block, 777);
    for (int b = 0; b < memory_blocks; ++b) CHECK(holds_block(memory, (off_t)b * block, b == 1 && times == 2 ? 888 : 1000 + b), "%d", b);
    make(888);
    memcpy(half, words, block);
    CHECK(holds_block(memory, block, 888));
  }
  leave_place();
  return finish();
}
