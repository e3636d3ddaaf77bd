// Reads that a signal meets: made again with SA_RESTART, ended with EINTR without.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static volatile int calls, entered;
static int ends[2];
static void handler(int signal) { (void)signal, ++calls; }

static void* reads(void* result) {
  char one;
  __atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
  const long got = read(ends[0], &one, 1);
  *(int*)result = got == 1 ? one : -errno;
  return NULL;
}

static int interrupted(int flags, int with_line) {
  const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  const struct timespec while_it_sleeps = {0, 20000000};
  int result = 0;
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  entered = calls = 0;
  pthread_create(&thread, NULL, reads, &result);
  while (!entered) nanosleep(&while_it_sleeps, NULL);
  nanosleep(&while_it_sleeps, NULL);
  if (with_line) line(), nanosleep(&while_it_sleeps, NULL);
  pthread_kill(thread, SIGUSR1);
  nanosleep(&while_it_sleeps, NULL);
  if (flags & SA_RESTART && write(ends[1], "r", 1) != 1) result = 0;
  pthread_join(thread, NULL);
  CHECK(calls == 1, "%d", calls);
  return result;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(pipe(ends) == 0);
  CHECK(interrupted(SA_RESTART, 0) == 'r');
  CHECK(interrupted(0, 0) == -EINTR);
  const int again = interrupted(SA_RESTART, 1);
  CHECK(again == 'r', "%d", again);
  const int ended = interrupted(0, 1);
  CHECK(ended == -EINTR, "%d", ended);
  return finish();
}
