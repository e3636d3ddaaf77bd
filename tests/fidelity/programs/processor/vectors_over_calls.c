// System calls change no vector register, as the kernel promises: complete registers hold a value across raw calls of
// many kinds.
#include "fidelity.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

enum { bytes = 32 };

/* out: whether register 7 holds its value over the call */
static int holds(long number, long a, long b, long c, long d, long e, long* result) {
  unsigned char in[bytes], out[bytes];
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  long back = number;
  for (int i = 0; i < bytes; ++i) in[i] = (unsigned char)(number + 7 * i + 1), out[i] = 0;
  __asm__ volatile("vmovdqu (%[in]), %%ymm7\n\tsyscall\n\tvmovdqu %%ymm7, (%[out])"
                   : "+a"(back) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), [in] "r"(in), [out] "r"(out)
                   : "rcx", "r11", "memory", "xmm7");
  *result = back;
  return memcmp(in, out, bytes) == 0;
}

static void call_all(void) {
  const struct timespec now = {0, 0}, past = {1, 0};
  sigset_t set;
  int ends[2], both[2];
  long result = 0;
  char byte = 'a';
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
  CHECK(holds(SYS_ppoll, 0, 0, (long)&now, (long)&set, 8, &result) && result == 0, "%ld", result);
  CHECK(holds(SYS_rt_sigtimedwait, (long)&set, 0, (long)&now, 8, 0, &result) && result == -EAGAIN, "%ld", result);
  CHECK(holds(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&past, 0, 0, &result) && result == 0, "%ld", result);
  CHECK(holds(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDONLY, 0, 0, &result) && result >= 0, "%ld", result);
  CHECK(holds(SYS_close, result, 0, 0, 0, 0, &result) && result == 0, "%ld", result);
  CHECK(write(both[1], "b", 1) == 1);
  CHECK(holds(SYS_recvmsg, both[0], (long)&message, 0, 0, 0, &result) && result == 1 && byte == 'b', "%ld", result);
  CHECK(holds(SYS_tgkill, getpid(), gettid(), 0, 0, 0, &result) && result == 0, "%ld", result);
  CHECK(holds(SYS_dup, ends[0], 0, 0, 0, 0, &result) && result >= 0 && close((int)result) == 0, "%ld", result);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0 && close(both[0]) == 0 && close(both[1]) == 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    if (__builtin_cpu_supports("avx")) call_all();
    if (round < 2) line();
  }
  return finish();
}
