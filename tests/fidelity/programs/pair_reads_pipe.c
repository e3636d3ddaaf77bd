// The main thread of rank 1 reads a pipe, which a thread of its own writes only after the checkpoint that rank 0 asks for.
// ranks: 2
#include "../pair.h"

#include <pthread.h>

static int ends[2];
static uint32_t before;
static int expected;

static void* writes_later(void* extra) {
  const char* const lines = getenv("FIDELITY");
  const char what = lines[lines_met - 1];
  for (int tries = 0; (what == 'g' || what == 's') && tries < 5000 && __atomic_load_n(&checkpoints, __ATOMIC_SEQ_CST) == before; ++tries)
    usleep(2000);
  CHECK(write(ends[1], &expected, sizeof expected) == sizeof expected);
  return extra;
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
    together();
    ++lines_met;                                    // as the line that follows
    if (me == 1) pthread_create(&thread, NULL, writes_later, NULL);
    --lines_met;
    usleep(1000);
    line_while(me == 1 ? reads_pipe : NULL);
    if (me == 1) pthread_join(thread, NULL);
    together();
  }
  return finish();
}
