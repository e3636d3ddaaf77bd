// A thread of rank 1 is in sigsuspend, and its main thread in a sleep, while rank 0 computes through the lines. Then
// rank 0 sends the signal that ends the sigsuspend.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <signal.h>

static volatile int calls, returned;
static void handler(int signal) { (void)signal, ++calls; }
static void* waits(void* extra) {
  sigset_t all;
  sigfillset(&all), sigdelset(&all, SIGUSR1);
  for (int round = 0; round < 2; ++round) sigsuspend(&all), ++returned;
  return extra;
}
static void sleeps(void) { usleep(100000); }

int main(int argc, char** argv) {
  const struct sigaction action = {.sa_handler = handler};
  sigset_t mask;
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&mask), sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);            // before MPI has threads, which would get them
  begin(&argc, &argv);
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  usleep(10000);
  for (int round = 0; round < 2; ++round) {
    line_while(me == 1 ? sleeps : NULL);
    const int pid = exchange(getpid());
    CHECK(calls == (me == 1 ? round : 0) && returned == calls, "%d %d", calls, returned);
    together();
    if (me == 0) OK(kill(pid, SIGUSR1));
    if (me == 1) CHECK(comes_to((int*)&returned, round + 1) && calls == round + 1 && returned == round + 1, "%d %d",
                       calls, returned);
  }
  if (me == 1 && returned == 2) pthread_join(thread, NULL);
  return finish();
}
