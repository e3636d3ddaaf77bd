// INV-91: A program that has the alignment of its accesses checked (the flag AC). Its calls work. Threads that have the
// flag AC, or the flag for the direction of copies (DF), keep it after the lines.
#include "fidelity.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

static volatile int over;
static int turns;

static void check_alignment(int on) {
  if (on) __asm__ volatile("pushfq; orq $0x40000, (%%rsp); popfq" : : : "cc", "memory");
  else __asm__ volatile("pushfq; andq $~0x40000, (%%rsp); popfq" : : : "cc", "memory");
}
static long call(long number, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
/* Ends by SIGILL if the flag is lost. */
static void* checked(void* extra) {
  for (; !over; count_one(&turns))
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x40000, (%%rsp); popfq; mov $1000000, %%ecx; 1: dec %%ecx; jnz 1b;"
                     "pushfq; pop %%rax; bt $18, %%eax; jc 2f; ud2; 2: pushfq; andq $~0x40000, (%%rsp); popfq;"
                     "leaq 128(%%rsp), %%rsp" : : : "rax", "rcx", "cc", "memory");
  return extra;
}
static void* downward(void* extra) {
  for (; !over; count_one(&turns))
    __asm__ volatile("leaq -128(%%rsp), %%rsp; std; mov $1000000, %%ecx; 1: dec %%ecx; jnz 1b; pushfq; pop %%rax;"
                     "bt $10, %%eax; jc 2f; ud2; 2: cld; leaq 128(%%rsp), %%rsp" : : : "rax", "rcx", "cc", "memory");
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread[2];
  CHECK(pthread_create(thread, NULL, checked, NULL) == 0 && pthread_create(thread + 1, NULL, downward, NULL) == 0);
  for (int round = 0; round < 3; ++round) {
    check_alignment(1);
    const long fd = call(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDONLY, 0);
    const long copy = call(SYS_dup, fd, 0, 0, 0), gone = call(SYS_close, fd, 0, 0, 0), copy_gone = call(SYS_close, copy, 0, 0, 0);
    check_alignment(0);
    CHECK(fd > 2 && copy > fd && gone == 0 && copy_gone == 0, "%ld %ld", fd, copy);
    if (round < 2) line();
    await_more(&turns, 3);
  }
  over = 1;
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  return finish();
}
