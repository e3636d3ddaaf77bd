// Threads that begin with all signals blocked, among them libc's own. Each is sent a signal as soon as its id is known,
// and finds it pending. Timers of libc's (SIGEV_THREAD) have such a thread.
#include "fidelity.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t every = ~UINT64_C(0);
static int libcs = 32;                // SIGCANCEL and SIGTIMER of glibc: no handler before a cancellation
static volatile int found;
static uint32_t alive;                // the kernel makes it 0, and wakes

/// Without libc: the thread has its creator's thread-local storage.
static int take(void* none) {
  (void)none;
  const uint64_t set = UINT64_C(1) << (libcs - 1);
  long got;
  const struct timespec* const no_limit = NULL;
  register long r10 __asm__("r10") = sizeof set;
  __asm__ volatile("syscall" : "=a"(got) : "a"(SYS_rt_sigtimedwait), "D"(&set), "S"(0), "d"(no_limit), "r"(r10)
                   : "rcx", "r11", "memory");
  found = (int)got;
  return 0;
}

static void one(char* stack_end) {
  const int flags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  found = 0, alive = 1;
  const int tid = clone(take, stack_end, flags, NULL, NULL, NULL, &alive);
  OK(tid);
  if (tid < 0) return;
  OK(syscall(SYS_tgkill, getpid(), tid, libcs));
  for (uint32_t now; (now = __atomic_load_n(&alive, __ATOMIC_SEQ_CST)) != 0;)
    syscall(SYS_futex, &alive, FUTEX_WAIT, now, NULL, NULL, 0);
  CHECK(found == libcs, "%d", found);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 1 << 16, threads = 2000 };
  char* const stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t before;
  CHECK(stack != MAP_FAILED);
  for (int round = 0; round < 2; ++round) {
    OK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before, sizeof every));
    for (int i = 0; i < threads && wrong == 0; ++i) one(stack + size);
    OK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before));
    line();
  }
  return finish();
}
