// Jumps of setjmp and sigsetjmp whose places were taken before the lines, with the mask of signals.
#include "fidelity.h"

#include <setjmp.h>
#include <signal.h>

static jmp_buf plain;
static sigjmp_buf with_mask;
static __attribute__((noinline)) void leave(int value) { longjmp(plain, value); }
static __attribute__((noinline)) void deep(volatile int* depth, int value) {
  volatile char room[1000];
  memset((char*)room, *depth, sizeof room);
  if ((*depth)-- > 0) deep(depth, value);
  if (room[5] >= 0) leave(value);
}
static void handler(int signal) { (void)signal, siglongjmp(with_mask, 9); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  volatile int rounds = 0;
  const int back = setjmp(plain);
  CHECK(back == rounds, "%d", back);
  if (back < 2) {
    line();
    ++rounds;
    volatile int depth = 20;
    deep(&depth, rounds);
    CHECK(!"reached");
  }
  sigset_t now;
  const int from_handler = sigsetjmp(with_mask, 1);
  if (from_handler == 0) raise(SIGUSR1);
  CHECK(from_handler == 9, "%d", from_handler);
  sigprocmask(SIG_SETMASK, NULL, &now);
  CHECK(!sigismember(&now, SIGUSR1));
  return finish();
}
