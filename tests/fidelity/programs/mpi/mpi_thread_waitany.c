// A thread in MPI_Waitany and one in MPI_Waitsome while the main thread comes to the lines.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Comm own[2];
static int any_got, some_got;

static void* waits_any(void* extra) {
  int values[4], which;
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i) MPI_Irecv(&values[i], 1, MPI_INT, other(), i, own[0], &requests[i]);
  for (int times = 0; times < 4; ++times) {
    MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    CHECK(which >= 0 && which < 4 && values[which] == 10 + which, "%d", which);
    __atomic_fetch_add(&any_got, 1, __ATOMIC_SEQ_CST);
  }
  MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
  CHECK(which == MPI_UNDEFINED, "%d", which);
  return extra;
}
static void* waits_some(void* extra) {
  int values[4], which[4], count, sum = 0;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  for (int i = 0; i < 4; ++i) MPI_Irecv(&values[i], 1, MPI_INT, other(), i, own[1], &requests[i]);
  while (sum < 4) {
    MPI_Waitsome(4, requests, &count, which, statuses);
    for (int i = 0; i < count; ++i) CHECK(values[which[i]] == 10 + which[i], "%d", which[i]);
    __atomic_fetch_add(&some_got, count, __ATOMIC_SEQ_CST);
    sum += count;
  }
  return extra;
}
static void send(int tag) {
  const int value = 10 + tag;
  for (int i = 0; i < 2; ++i) MPI_Send(&value, 1, MPI_INT, other(), tag, own[i]);
}
static void both_have(int count) {
  CHECK(comes_to(&any_got, count) && comes_to(&some_got, count), "%d %d", any_got, some_got);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t any, some;
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  pthread_create(&any, NULL, waits_any, NULL), pthread_create(&some, NULL, waits_some, NULL);
  send(2), both_have(1);
  line();
  both_have(1), together();
  send(0), send(3), both_have(3);
  line();
  both_have(3), together();
  send(1), both_have(4);
  pthread_join(any, NULL), pthread_join(some, NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&own[i]);
  return finish();
}
