// The setting of each thread for the processor's guesses, where the machine lets it choose.
#include "fidelity.h"

#include <pthread.h>
#include <sys/prctl.h>

enum { threads = 2, controls = 3, chosen = 1, enabled = 2, disabled = 4 };      // PR_SPEC_PRCTL, _ENABLE, _DISABLE
static pthread_barrier_t meeting;

static int now(int control) { return prctl(PR_GET_SPECULATION_CTRL, control, 0, 0, 0); }

/// Each thread another way.
static void* body(void* extra) {
  const int self = (int)(long)extra;
  int mine[controls];
  for (int i = 0; i < controls; ++i) {
    const int wanted = (i + self) % 2 ? enabled : disabled;
    const int may_choose = now(i) > 0 && (now(i) & chosen);
    if (may_choose) OK(prctl(PR_SET_SPECULATION_CTRL, i, wanted, 0, 0));
    mine[i] = now(i);
    if (may_choose) CHECK(mine[i] == (chosen | wanted), "control %d: %d", i, mine[i]);
  }
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&meeting), pthread_barrier_wait(&meeting);
    for (int i = 0; i < controls; ++i)
      CHECK(now(i) == mine[i], "thread %d, control %d: was %d, is %d", self, i, mine[i], now(i));
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[threads];
  pthread_barrier_init(&meeting, NULL, threads + 1);
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&meeting);
    line();
    pthread_barrier_wait(&meeting);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  return finish();
}
