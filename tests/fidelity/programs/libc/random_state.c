// The states of libc's random numbers: the same numbers come as without the lines.
#include "fidelity.h"

enum { count = 40 };

static void start(void) {
  static char state[128];
  srand(7), srand48(9);
  setstate(initstate(11, state, sizeof state));
}
static long next(int which) {
  static char state[128];
  static struct random_data data;
  int32_t result = 0;
  switch (which % 5) {
    case 0: return rand();
    case 1: return lrand48();
    case 2: return (long)(drand48() * 1e15);
    case 3: return random();
    default:
      if (which == 4) memset(&data, 0, sizeof data), initstate_r(13, state, sizeof state, &data);
      random_r(&data, &result);
      return result;
  }
}

int main(int argc, char** argv) {
  long expected[count];
  begin(&argc, &argv);
  start();
  for (int which = 0; which < count; ++which) expected[which] = next(which);
  start();
  for (int which = 0; which < count; ++which) {
    if (which == 13 || which == 27) line();
    const long found = next(which);
    CHECK(found == expected[which], "number %d", which);
  }
  return finish();
}
