// A thread that keeps to one processor: afterwards it may run on some of those that it has asked for, and no others.
#include "fidelity.h"

#include <sched.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  cpu_set_t all, one, now;
  OK(sched_getaffinity(0, sizeof all, &all));
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) last = cpu;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  OK(sched_setaffinity(0, sizeof one, &one));
  for (int round = 0; round < 2; ++round) {
    line();
    OK(sched_getaffinity(0, sizeof now, &now));
    CPU_AND(&all, &now, &one);
    CHECK(CPU_EQUAL(&now, &all), "%d processors", CPU_COUNT(&now));
  }
  return finish();
}
