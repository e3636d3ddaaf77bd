/* Linked for fixed addresses below 4 GiB, and makes system calls from its own code: they are seen there too. */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int initialized = 5;
static int zeroed[100000];
static const char* const text = "relocated";
int (*volatile through_pointer)(const char*) = puts;

static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

int main(void) {
  CHECK((uintptr_t)&initialized < 0x100000000 && (uintptr_t)main < 0x100000000);
  CHECK(initialized == 5 && zeroed[99999] == 0 && strcmp(text, "relocated") == 0);
  zeroed[99999] = 1;
  const long got = call(SYS_mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(got > 0);
  check_place((void*)got);
  memset((void*)got, 1, 8192);
  CHECK(call(SYS_munmap, got, 8192, 0, 0, 0, 0) == 0);
  const long start = call(SYS_brk, 0, 0, 0, 0, 0, 0);
  check_place((void*)start);
  /* It may change its own segments' protection, and map over them. */
  const uintptr_t page = ((uintptr_t)zeroed + 4095) & ~(uintptr_t)4095;
  CHECK(mprotect((void*)page, 8192, PROT_READ) == 0 && mprotect((void*)page, 8192, PROT_READ | PROT_WRITE) == 0);
  CHECK(mmap((void*)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void*)page);
  through_pointer("fixed addresses");
}
