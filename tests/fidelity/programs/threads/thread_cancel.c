// Cancellation: pending while disabled at a line, of a thread that blocks at it, asynchronous of one that computes.
#include "fidelity.h"

#include <pthread.h>

static int ready, allow, cleaned[4], never[2];

static void clean(void* which) { ++cleaned[(long)which]; }
static void* disabled(void* extra) {
  (void)extra;
  pthread_cleanup_push(clean, (void*)0);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  count_one(&ready);
  await_count(&allow, 1);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  pthread_testcancel();
  pthread_cleanup_pop(0);
  return NULL;
}
static void* blocked(void* extra) {
  (void)extra;
  char byte;
  pthread_cleanup_push(clean, (void*)1);
  count_one(&ready);
  CHECK(read(never[0], &byte, 1) == -2, "%s", strerror(errno));
  pthread_cleanup_pop(0);
  return NULL;
}
static void* computing(void* extra) {
  pthread_cleanup_push(clean, extra);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  count_one(&ready);
  for (;;) __asm__ volatile("");
  pthread_cleanup_pop(0);
  return NULL;
}
static void ends_cancelled(pthread_t thread, int which) {
  void* result = NULL;
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  CHECK(cleaned[which] == 1, "of %d: %d", which, cleaned[which]);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[4];
  OK(pipe(never));
  pthread_create(&all[0], NULL, disabled, NULL);
  pthread_create(&all[1], NULL, blocked, NULL);
  pthread_create(&all[2], NULL, computing, (void*)2);
  pthread_create(&all[3], NULL, computing, (void*)3);
  await_count(&ready, 4);
  usleep(20000);
  CHECK(pthread_cancel(all[0]) == 0);                              // pending at both lines
  line();
  CHECK(pthread_cancel(all[2]) == 0);
  ends_cancelled(all[2], 2);
  CHECK(cleaned[0] == 0 && cleaned[1] == 0 && cleaned[3] == 0);
  line();
  CHECK(pthread_cancel(all[1]) == 0 && pthread_cancel(all[3]) == 0);
  ends_cancelled(all[1], 1), ends_cancelled(all[3], 3);
  count_one(&allow);
  ends_cancelled(all[0], 0);
  return finish();
}
