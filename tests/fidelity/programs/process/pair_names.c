// Names of processes and threads, timer slack and affinity that differ between the ranks.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

static int end;
static void* stays(void* extra) {
  char name[16];
  snprintf(name, sizeof name, "helper-%d", me);
  pthread_setname_np(pthread_self(), name);
  count_one(&end);
  await_count(&end, 2);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  pthread_create(&thread, NULL, stays, NULL);
  await_count(&end, 1);
  OK(prctl(PR_SET_NAME, me == 0 ? "the-first" : "the-second"));
  OK(prctl(PR_SET_TIMERSLACK, 100000 * (me + 1)));
  cpu_set_t all, one;
  OK(sched_getaffinity(0, sizeof all, &all));
  int cpu = me;
  while (!CPU_ISSET(cpu, &all)) cpu = (cpu + 1) % CPU_SETSIZE;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  OK(sched_setaffinity(0, sizeof one, &one));
  for (int round = 0; round < 2; ++round) {
    line();
    char name[16] = "", expected[16];
    CHECK(prctl(PR_GET_NAME, name) == 0 && !strcmp(name, me == 0 ? "the-first" : "the-second"), "%s", name);
    snprintf(expected, sizeof expected, "helper-%d", me);
    CHECK(pthread_getname_np(thread, name, sizeof name) == 0 && !strcmp(name, expected), "%s", name);
    CHECK(prctl(PR_GET_TIMERSLACK) == 100000 * (me + 1), "%d", prctl(PR_GET_TIMERSLACK));
    CHECK(sched_getaffinity(0, sizeof one, &one) == 0 && CPU_COUNT(&one) >= 1);
  }
  count_one(&end);
  pthread_join(thread, NULL);
  return finish();
}
