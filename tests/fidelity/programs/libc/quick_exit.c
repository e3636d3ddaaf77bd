// Functions of at_quick_exit, set before and between the lines, the last one first; those of atexit do not run.
#include "fidelity.h"

static int met;
static void never(void) { _exit(90); }
static void first(void) { _exit(met == 2 && lines_met == 2 ? 0 : 91); }
static void second(void) { if (met++ != 1) _exit(92); }
static void third(void) { if (met++ != 0) _exit(93); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  atexit(never), at_quick_exit(first);
  line();
  at_quick_exit(second);
  line();
  at_quick_exit(third);
  const int status = finish();
  if (status != 0) _exit(status);
  quick_exit(94);
}
