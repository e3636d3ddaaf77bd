// Detached threads: alive through the lines, ended between them, and detached only after a line.
#include "fidelity.h"

#include <pthread.h>

static int alive, allowed, gone;
static void* body(void* until) {
  __atomic_fetch_add(&alive, 1, __ATOMIC_SEQ_CST);
  await_count(&allowed, (int)(long)until);
  __atomic_fetch_add(&gone, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_attr_t attributes;
  pthread_t detached, later;
  pthread_attr_init(&attributes), pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  for (long i = 0; i < 6; ++i) CHECK(pthread_create(&detached, &attributes, body, (void*)(1 + i % 2)) == 0);
  CHECK(pthread_create(&later, NULL, body, (void*)2L) == 0);
  CHECK(comes_to(&alive, 7));
  line();
  CHECK(__atomic_load_n(&gone, __ATOMIC_SEQ_CST) == 0);
  CHECK(pthread_detach(later) == 0);
  int state = -1;
  pthread_attr_t found;
  CHECK(pthread_getattr_np(later, &found) == 0 && pthread_attr_getdetachstate(&found, &state) == 0 &&
        state == PTHREAD_CREATE_DETACHED);
  count_one(&allowed);
  CHECK(comes_to(&gone, 3), "%d", gone);
  line();
  CHECK(__atomic_load_n(&gone, __ATOMIC_SEQ_CST) == 3);
  count_one(&allowed);
  CHECK(comes_to(&gone, 7), "%d", gone);
  return finish();
}
