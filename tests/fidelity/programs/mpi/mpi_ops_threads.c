// Operations and datatypes that threads made before a line, and others use after it; the functions keep thread-local
// counts.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <stddef.h>

enum { threads = 3 };
struct pair { int key, pad; double value; };
static MPI_Comm comms[threads];
static MPI_Op ops[threads];
static MPI_Datatype types[threads];
static int calls;
static __thread int own_calls;

static void larger_key(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const struct pair* const a = in;
  struct pair* const b = inout;
  for (int i = 0; i < *length; ++i) if (a[i].key > b[i].key) b[i] = a[i];
  ++own_calls, __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
}
static void* makes(void* index) {
  const long self = (long)index;
  const int lengths[2] = {1, 1};
  const MPI_Aint at[2] = {offsetof(struct pair, key), offsetof(struct pair, value)};
  const MPI_Datatype of[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype packed;
  MPI_Type_create_struct(2, lengths, at, of, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(struct pair), &types[self]);
  MPI_Type_commit(&types[self]), MPI_Type_free(&packed);
  MPI_Op_create(larger_key, self % 2, &ops[self]);
  return NULL;
}
static void* uses(void* index) {
  const long self = (long)index, from = (self + 1) % threads;        // made by another thread
  struct pair mine[2] = {{me, 0, 1.5 + me}, {10 - me, 0, 2.5 + me}}, best[2];
  MPI_Allreduce(mine, best, 2, types[from], ops[from], comms[self]);
  CHECK(best[0].key == 1 && best[0].value == 2.5 && best[1].key == 10 && best[1].value == 2.5, "%d %f", best[0].key,
        best[1].value);
  return NULL;
}
static void in_threads(void* (*body)(void*)) {
  pthread_t all[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  in_threads(makes), in_threads(uses);
  for (int round = 0; round < 2; ++round) line(), in_threads(uses);
  int all = 0;
  MPI_Allreduce(&calls, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all >= 9 && own_calls == 0, "%d %d", all, own_calls);
  for (int i = 0; i < threads; ++i) MPI_Op_free(&ops[i]), MPI_Type_free(&types[i]), MPI_Comm_free(&comms[i]);
  return finish();
}
