// getpid, gettid, getppid, and what libc keeps of them: raise, pthread_kill, the parent of a child.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static volatile int calls, wrong_sender;
static void handler(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context, ++calls;
  if (info->si_pid != getpid()) ++wrong_sender;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = handler;
  sigaction(SIGUSR1, &action, NULL);
  for (int round = 0; round < 2; ++round) {
    line();
    char self[32] = "";
    CHECK(readlink("/proc/self", self, sizeof self - 1) > 0 && atoi(self) == getpid());
    CHECK(gettid() == getpid() && syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == gettid());
    raise(SIGUSR1), pthread_kill(pthread_self(), SIGUSR1), kill(getpid(), SIGUSR1);
    syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
    CHECK(calls == 4 * (round + 1) && wrong_sender == 0, "%d %d", calls, wrong_sender);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) _exit(getppid() == parent && getpid() != parent && gettid() == getpid() ? 0 : 1);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  return finish();
}
