// MPI_Isendrecv and MPI_Isendrecv_replace (MPI-4): several under way at once, completed in any order, with nobody, and
// across the steps, so that a checkpoint finds them pending.
#include "check.h"

#if MPI_VERSION >= 4
enum { words = 5000, many = 4 };     // long enough for a rendezvous
static int sent[many][words], arrived[many][words], replaced[words];

static void exchange(int k) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Request requests[many + 1];
  MPI_Status statuses[many + 1];
  int flag = 0, index = 0;
  const int short_words = 3;
  for (int i = 0; i < many; ++i) {
    const int length = i % 2 == 0 ? words : short_words, from = i == 3 ? MPI_ANY_SOURCE : left;
    fill(sent[i], words, me, i, k);
    OK(MPI_Isendrecv(sent[i], length, MPI_INT, right, i, arrived[i], length, MPI_INT, from, i, MPI_COMM_WORLD,
                     &requests[i]));
  }
  fill(replaced, words, me, many, k);
  OK(MPI_Isendrecv_replace(replaced, words, MPI_INT, right, many, left, many, MPI_COMM_WORLD, &requests[many]));
  OK(MPI_Request_get_status(requests[0], &flag, &statuses[0]));
  if (k % 3 == 0) OK(MPI_Waitall(many + 1, requests, statuses));
  if (k % 3 == 1)
    for (int pending = many + 1; pending > 0; --pending) OK(MPI_Waitany(many + 1, requests, &index, &statuses[0]));
  if (k % 3 == 2)
    for (int i = many; i >= 0; --i)
      for (flag = 0; !flag;) OK(MPI_Test(&requests[i], &flag, &statuses[i]));
  // Statuses are not looked at: MPICH 4.0 leaves them empty.
  for (int i = 0; i <= many; ++i) CHECK(requests[i] == MPI_REQUEST_NULL, "%d", i);
  for (int i = 0; i < many; ++i) SAME(arrived[i], i % 2 == 0 ? words : short_words, left, i, k);
  SAME(replaced, words, left, many, k);
}

/// The ends of a line have nobody on one side.
static void line(int k) {
  const int to = me + 1 < ranks ? me + 1 : MPI_PROC_NULL, from = me > 0 ? me - 1 : MPI_PROC_NULL;
  int out = val(me, 7, k, 0), in = -1, last = -1;
  MPI_Request request;
  OK(MPI_Isendrecv(&out, 1, MPI_INT, to, 50, &in, 1, MPI_INT, from, 50, MPI_COMM_WORLD, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));       // MPICH 4.0 does not let it be freed
  OK(MPI_Sendrecv(&out, 1, MPI_INT, to, 50, &last, 1, MPI_INT, from, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(last == (me > 0 ? val(me - 1, 7, k, 0) : -1), "%d", last);
  CHECK(in == last, "%d", in);
}
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
#if MPI_VERSION >= 4
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  static int out[words], in[words];
  MPI_Request across = MPI_REQUEST_NULL;
  if (ranks == 1) steps = 0;        // MPICH 4.0 waits for ever for a message to itself
  for (int k = 0; k < steps; ++k) {
    OK(MPI_Wait(&across, MPI_STATUS_IGNORE));
    if (k > 0) SAME(in, words, left, 99, k - 1);
    exchange(k);
    line(k);
    fill(out, words, me, 99, k);
    OK(MPI_Isendrecv(out, words, MPI_INT, right, 99, in, words, MPI_INT, left, 99, MPI_COMM_WORLD, &across));
    step(k);
  }
  OK(MPI_Wait(&across, MPI_STATUS_IGNORE));
#else
  if (me == 0) printf("this MPI has no MPI_Isendrecv\n");
#endif
  return finish();
}
