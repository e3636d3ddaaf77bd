// The limit of the stack is raised while the program runs. The main thread's stack grows as far as it now may, before
// and after the lines. In a child whose limit is lower it does not.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { frame = 1 << 16 };

static __attribute__((noinline)) long down(size_t bytes, int meets) {
  volatile char here[frame];
  here[0] = here[frame - 1] = (char)(bytes / frame);
  const long below = bytes > frame ? down(bytes - frame, meets) : (meets ? line() : (void)0, 0);
  return below + (here[0] == (char)(bytes / frame) && here[frame - 1] == here[0]);
}
static void limit_to(rlim_t bytes) {
  struct rlimit limit;
  OK(getrlimit(RLIMIT_STACK, &limit));
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  OK(setrlimit(RLIMIT_STACK, &limit));
}
static void overflows(rlim_t limit, size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    limit_to(limit);
    _exit(down(bytes, 0) > 0 ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "%x", (unsigned)status);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const size_t mib = 1 << 20;
  limit_to(110 * mib);
  for (int round = 0; round < 2; ++round) {
    const size_t bytes = (20 + 60 * (size_t)round) * mib;                 // at the lines
    CHECK(down(bytes, 1) == (long)(bytes / frame));
    CHECK(down(100 * mib, 0) == (long)(100 * mib / frame));
    overflows(4 * mib, 200 * mib);
    pthread_attr_t attributes;
    void* start;
    size_t size;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0 && pthread_attr_getstack(&attributes, &start, &size) == 0);
    CHECK(size > 109 * mib && size <= 110 * mib, "%zu", size);
  }
  return finish();
}
