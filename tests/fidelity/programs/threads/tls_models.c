// Thread-local variables of all four models, with alignment, of the main thread and of two others.
#include "fidelity.h"

#include <pthread.h>

#define OF(model) __attribute__((tls_model(model)))
static __thread int executable OF("local-exec") = 1;
static __thread long local[3] OF("local-dynamic") = {2, 3, 4};
__thread int initial OF("initial-exec") = 5;
__thread char general[300] OF("global-dynamic") = "general";
static __thread double aligned __attribute__((aligned(256))) = 6.5;
static __thread char zeroes[5000];
static pthread_barrier_t barrier;

__attribute__((noinline)) static void set(int by) {
  executable += by, local[2] += by, initial += by, aligned += by;
  memset(zeroes, by, sizeof zeroes), general[0] = (char)('a' + by);
}
__attribute__((noinline)) static void look(int by, const void* const* at) {
  CHECK(executable == 1 + by && local[0] == 2 && local[2] == 4 + by && initial == 5 + by, "%d %ld %d", executable,
        local[2], initial);
  CHECK(aligned == 6.5 + by && (uintptr_t)&aligned % 256 == 0 && zeroes[0] == by && zeroes[4999] == by, "%f", aligned);
  CHECK(general[0] == 'a' + by && !strcmp(general + 1, "eneral"), "%s", general);
  CHECK(at[0] == &executable && at[1] == local && at[2] == &initial && at[3] == general);
}
static void* body(void* index) {
  const int self = (int)(intptr_t)index;
  const void* const at[] = {&executable, local, &initial, general};
  set(self);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier);
    look(self, at);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const void* const at[] = {&executable, local, &initial, general};
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 3);
  for (intptr_t i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, (void*)(i + 1));
  set(7);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    look(7, at);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return finish();
}
