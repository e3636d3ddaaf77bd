// Atomic counters in a file that both ranks map shared, counted by a thread of each while the lines are met.
// ranks: 2
#include "pair.h"

#include <pthread.h>

struct counters {
  long of_both, of[2];
};
static struct counters* all;
static int stop;

static void* count(void* extra) {
  (void)extra;
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    __atomic_fetch_add(&all->of[me], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&all->of_both, 1, __ATOMIC_SEQ_CST);
    usleep(100);
  }
  return NULL;
}
static void go_on(void) {
  for (int r = 0; r < 2; ++r) {
    const long before = __atomic_load_n(&all->of[r], __ATOMIC_SEQ_CST);
    for (int tries = 0; tries < 60000 && __atomic_load_n(&all->of[r], __ATOMIC_SEQ_CST) < before + 10; ++tries)
      usleep(1000);
    CHECK(__atomic_load_n(&all->of[r], __ATOMIC_SEQ_CST) >= before + 10, "rank %d's does not move", r);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  all = map_common("counters", 4096);
  pthread_t thread;
  pthread_create(&thread, NULL, count, NULL);
  go_on(), line(), go_on(), line(), go_on();
  together();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  together();
  CHECK(all->of_both == all->of[0] + all->of[1], "%ld, %ld and %ld", all->of_both, all->of[0], all->of[1]);
  leave_common_place();
  return finish();
}
