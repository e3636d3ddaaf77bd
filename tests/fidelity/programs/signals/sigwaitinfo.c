// Threads in sigwaitinfo and sigwait while a line is met: the program's signals end them, with their values.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static int values[2], early;
static volatile int released;

static void* informed(void* unused) {
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set), sigaddset(&set, SIGRTMIN + 4);
  for (int round = 0; round < 2; ++round) {
    const int got = sigwaitinfo(&set, &info);
    CHECK(got == SIGRTMIN + 4, "%s", got < 0 ? strerror(errno) : "another");
    early += released == round;
    values[round] = info.si_value.sival_int;
  }
  return unused;
}
static void* plain(void* unused) {
  sigset_t set;
  int got = 0;
  sigemptyset(&set), sigaddset(&set, SIGUSR2);
  for (int round = 0; round < 2; ++round) {
    CHECK(sigwait(&set, &got) == 0 && got == SIGUSR2);
    early += released == round;
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  sigset_t set;
  const struct timespec moment = {0, 30000000};
  sigemptyset(&set), sigaddset(&set, SIGRTMIN + 4), sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);       // in the threads that MPI makes too
  begin(&argc, &argv);
  pthread_create(threads, NULL, informed, NULL);
  pthread_create(threads + 1, NULL, plain, NULL);
  for (int round = 0; round < 2; ++round) {
    nanosleep(&moment, NULL);
    line();
    nanosleep(&moment, NULL);
    released = round + 1;
    const union sigval value = {.sival_int = 7 + round};
    OK(sigqueue(getpid(), SIGRTMIN + 4, value));
    OK(kill(getpid(), SIGUSR2));
  }
  for (int which = 0; which < 2; ++which) pthread_join(threads[which], NULL);
  CHECK(values[0] == 7 && values[1] == 8, "%d %d", values[0], values[1]);
  CHECK(early == 0);
  return finish();
}
