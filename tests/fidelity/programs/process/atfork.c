// Functions of pthread_atfork from before the lines: each runs once for each fork, in order.
#include "fidelity.h"

#include <pthread.h>
#include <sys/wait.h>

static char met[16];
static void before_1(void) { strcat(met, "1"); }
static void before_2(void) { strcat(met, "2"); }
static void parent_1(void) { strcat(met, "p"); }
static void parent_2(void) { strcat(met, "q"); }
static void child_1(void) { strcat(met, "c"); }
static void child_2(void) { strcat(met, "d"); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_atfork(before_1, parent_1, child_1);
  pthread_atfork(before_2, parent_2, child_2);
  for (int round = 0; round < 2; ++round) {
    line();
    met[0] = 0;
    const pid_t child = fork();
    if (child == 0) _exit(strcmp(met, "21cd") == 0 ? 0 : 1);
    CHECK(strcmp(met, "21pq") == 0, "%s", met);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", (unsigned)status);
  }
  return finish();
}
