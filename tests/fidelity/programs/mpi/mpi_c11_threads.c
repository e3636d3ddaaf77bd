// The threads of C11 with MPI: mutex, condition, thread-specific storage, call_once, and a thread that receives.
// ranks: 2
#include "pair.h"

#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static tss_t storage;
static once_flag once = ONCE_FLAG_INIT;
static int times_once, freed, turn;
static thread_local int of_thread = 6;

static void only_once(void) { ++times_once; }
static void let_go(void* value) { freed += *(int*)value; }
static int body(void* extra) {
  static int stored = 5;
  (void)extra;
  call_once(&once, only_once);
  tss_set(storage, &stored);
  of_thread += 1;
  for (int round = 0; round < 2; ++round) {
    mtx_lock(&mutex);
    while (turn == round) cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, other(), round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (value != 80 + round || of_thread != 7 || tss_get(storage) != &stored) return -1;
  }
  return 42;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  thrd_t thread;
  int result = 0;
  mtx_init(&mutex, mtx_plain), cnd_init(&condition), tss_create(&storage, let_go);
  CHECK(thrd_create(&thread, body, NULL) == thrd_success);
  for (int round = 0; round < 2; ++round) {
    line();
    call_once(&once, only_once);
    const int value = 80 + round;
    MPI_Send(&value, 1, MPI_INT, other(), round, MPI_COMM_WORLD);
    mtx_lock(&mutex), ++turn, cnd_signal(&condition), mtx_unlock(&mutex);
  }
  CHECK(thrd_join(thread, &result) == thrd_success && result == 42, "%d", result);
  CHECK(times_once == 1 && freed == 5 && of_thread == 6, "%d %d %d", times_once, freed, of_thread);
  return finish();
}
