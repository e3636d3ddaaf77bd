// A futex in a file that both ranks map shared: a thread of rank 1 waits at it during the lines, rank 0 wakes it after
// each.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static uint32_t* word;
static int woken;

static void* waits(void* extra) {
  (void)extra;
  for (uint32_t seen = 0; seen < 2; ++seen) {
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == seen) syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  word = map_common("word", 4096);
  pthread_t thread;
  if (me == 1) pthread_create(&thread, NULL, waits, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    usleep(5000);
    if (me == 1) CHECK(__atomic_load_n(&woken, __ATOMIC_SEQ_CST) == round);
    together();
    if (me == 0) {
      __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
      syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    }
    if (me == 1) CHECK(comes_to(&woken, round + 1), "%d", woken);
  }
  if (me == 1) pthread_join(thread, NULL);
  leave_common_place();
  return finish();
}
