// Memory below 2 GiB (MAP_32BIT), as compilers at run time ask for. Code and data in it stay at the same addresses
// after a line. The program locks, advises, moves and frees them.
#include "fidelity.h"

#include <sys/mman.h>

enum { page = 4096, count = 8 };
typedef int (*function)(void);

static int is_low(const void* at) { return (uintptr_t)at != 0 && (uintptr_t)at < 0x80000000u; }
static void write_code(unsigned char* at, int answer) {
  const unsigned char code[] = {0xb8, (unsigned char)answer, 0, 0, 0, 0xc3};     // mov $answer, %eax; ret
  memcpy(at, code, sizeof code);
}
static void* map(size_t bytes, int protection, int flags) {
  void* const at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | flags, -1, 0);
  CHECK(at != MAP_FAILED && is_low(at), "%p %s", at, strerror(errno));
  return at == MAP_FAILED ? NULL : at;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  unsigned char* code[count];
  for (int i = 0; i < count; ++i) {
    code[i] = map((size_t)(i + 1) * page, PROT_READ | PROT_WRITE | (i % 2 ? PROT_EXEC : 0), 0);
    if (code[i] == NULL) return finish();
    write_code(code[i] + i * page, i);
    if (i % 2 == 0) OK(mprotect(code[i], (size_t)(i + 1) * page, PROT_READ | PROT_EXEC));
  }
  char* const large = map(8 << 20, PROT_READ | PROT_WRITE, MAP_NORESERVE);
  for (int i = 0; i < 8; ++i) large[i << 20] = (char)(i + 1);
  char* const shared = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  CHECK(is_low(shared));
  strcpy(shared, "shared");
  char* const gone = map(page, PROT_READ, 0);
  OK(munmap(gone, page));
  CHECK(mmap(gone, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == gone);
  OK(munmap(gone, page));
  for (int round = 0; round < 2; ++round) {
    line();
    for (int i = 0; i < count; ++i) CHECK(((function)(uintptr_t)(code[i] + i * page))() == i, "%d", i);
    for (int i = 0; i < 8; ++i) CHECK(large[i << 20] == i + 1, "%d", large[i << 20]);
    CHECK(strcmp(shared, "shared") == 0, "%.9s", shared);
    unsigned char* const more = map(page, PROT_READ | PROT_WRITE | PROT_EXEC, 0);
    for (int i = 0; i < count; ++i) CHECK(more != code[i]);
    write_code(more, 77);
    CHECK(((function)(uintptr_t)more)() == 77);
    char* const moved = mremap(more, page, 2 * page, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED && (unsigned char)moved[1] == 77);
    OK(munmap(moved, 2 * page));
    OK(madvise(large, page, MADV_DONTNEED));
    CHECK(large[0] == 0);
    large[0] = 1;
  }
  return finish();
}
