// The main thread of rank 1 reads a pipe, which a thread of its own writes only after the checkpoint that rank 0 asks
// for.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static int ends[2];
static uint32_t before;
static int expected;

static void* writes_later(void* number) {
  const char what = what_at((int)(long)number);
  if (what == 'g' || what == 's') CHECK(comes_to((int*)&checkpoints, (int)before + 1));
  CHECK(write(ends[1], &expected, sizeof expected) == sizeof expected);
  return NULL;
}
static void reads_pipe(void) {
  int value = 0;
  CHECK(read(ends[0], &value, sizeof value) == sizeof value && value == expected, "%d %s", value, strerror(errno));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(pipe(ends));
  for (int round = 0; round < 2; ++round) {
    pthread_t thread;
    expected = 40 + round;
    before = __atomic_load_n(&checkpoints, __ATOMIC_SEQ_CST);
    if (me == 1) pthread_create(&thread, NULL, writes_later, (void*)(long)round);
    line_while(me == 1 ? reads_pipe : NULL);
    if (me == 1) pthread_join(thread, NULL);
    together();
  }
  return finish();
}
