// Attributes whose functions look at the thread that they are called on, and whose values are of thread-local
// addresses.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static int key;
static __thread int copies, deletions, own_value;

static int copy(MPI_Comm from, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)from, (void)keyval;
  CHECK(extra == &key);
  ++copies;
  *(void**)out = (char*)in + 1, *flag = 1;
  return MPI_SUCCESS;
}
static int delete_it(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}
static void* body(void* of) {
  MPI_Comm own = *(MPI_Comm*)of, more;
  char* found = NULL;
  int is_there = 0;
  MPI_Comm_dup(own, &more);
  MPI_Comm_get_attr(more, key, &found, &is_there);
  char* base = NULL;
  MPI_Comm_get_attr(own, key, &base, &is_there);
  CHECK(is_there && found == base + 1 && copies == 1, "%d", copies);
  MPI_Comm_set_attr(more, key, &own_value);
  CHECK(deletions == 1, "%d", deletions);
  MPI_Comm_free(&more);
  CHECK(deletions == 2, "%d", deletions);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm own[2];
  static char of_main[4];
  MPI_Comm_create_keyval(copy, delete_it, &key, &key);
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]), MPI_Comm_set_attr(own[i], key, &of_main[i]);
  for (int round = 0; round < 2; ++round) {
    line();
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, &own[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    CHECK(copies == 0 && deletions == 0, "%d %d", copies, deletions);
  }
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&own[i]);
  CHECK(deletions == 2, "%d", deletions);
  MPI_Comm_free_keyval(&key);
  return finish();
}
