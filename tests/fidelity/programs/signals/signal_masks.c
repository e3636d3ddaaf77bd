// The signals that each thread blocks, two threads with masks of their own, and what a new thread inherits.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>

static pthread_barrier_t barrier;
static const int mine[] = {SIGUSR1, SIGCHLD, SIGTERM}, others[] = {SIGUSR2, SIGHUP, SIGPIPE};

static int is(const int* list) {       // exactly these, of the standard ones, and real-time 40 to 44
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  for (int signal = 1; signal < 32; ++signal)
    if (sigismember(&now, signal) != (signal == list[0] || signal == list[1] || signal == list[2])) return signal;
  for (int signal = 40; signal < 45; ++signal)
    if (!sigismember(&now, signal)) return signal;
  return 0;
}
static void set(const int* list) {
  sigset_t now;
  sigemptyset(&now);
  for (int which = 0; which < 3; ++which) sigaddset(&now, list[which]);
  for (int signal = 40; signal < 45; ++signal) sigaddset(&now, signal);
  pthread_sigmask(SIG_SETMASK, &now, NULL);
}
static void* inherits(void* result) { return *(int*)result = is(mine), NULL; }
static void* other(void* unused) {
  set(others);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK(is(others) == 0, "signal %d", is(others));
  }
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread, heir;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  set(mine);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    CHECK(is(mine) == 0, "signal %d", is(mine));
    int inherited = -1;
    pthread_create(&heir, NULL, inherits, &inherited);
    pthread_join(heir, NULL);
    CHECK(inherited == 0, "signal %d", inherited);
  }
  pthread_join(thread, NULL);
  return finish();
}
