// Names of several threads, set by pthread_setname_np, and the process's own file of them.
#include "fidelity.h"

#include <pthread.h>

static pthread_barrier_t barrier;
static void* other(void* index) {
  char name[16], found[16];
  snprintf(name, sizeof name, "thread %d", (int)(intptr_t)index);
  pthread_setname_np(pthread_self(), name);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_getname_np(pthread_self(), found, sizeof found) == 0 && strcmp(found, name) == 0, "%s", found);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[3];
  pthread_barrier_init(&barrier, NULL, 4);
  for (int which = 0; which < 3; ++which) pthread_create(threads + which, NULL, other, (void*)(intptr_t)which);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    for (int which = 0; which < 3; ++which) {
      char name[16], found[16] = "";
      snprintf(name, sizeof name, "thread %d", which);
      CHECK(pthread_getname_np(threads[which], found, sizeof found) == 0 && strcmp(found, name) == 0, "%s", found);
    }
    pthread_barrier_wait(&barrier);
  }
  for (int which = 0; which < 3; ++which) pthread_join(threads[which], NULL);
  return finish();
}
