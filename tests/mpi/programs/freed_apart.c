// Communicators that one rank frees before other ranks do, with collectives over the same ranks between, and one that only
// rank 0 frees. MPI_Comm_free is local in every MPI, so this works natively. The rank that frees first has a receive on it.
// The others use what a rank may use alone: names, places in a topology, messages among them.
#include "check.h"

enum { pieces = 5, most = 64 };

/// Collectives over the same ranks, in which all must be for the same one.
static void meet(int k) {
  for (int i = 0; i < pieces; ++i) {
    MPI_Comm half = MPI_COMM_NULL;
    int own = val(me, i, k, 0) % 1000, sum = 0, want = 0, size = 0;
    OK(MPI_Comm_split(MPI_COMM_WORLD, i % 2, ranks - me, &half));
    OK(MPI_Comm_size(half, &size));
    CHECK(size == ranks, "%d", size);
    OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, half));
    for (int r = 0; r < ranks; ++r) want += val(r, i, k, 0) % 1000;
    CHECK(sum == want, "%d instead of %d", sum, want);
    got_int(sum);
    OK(MPI_Comm_free(&half));
    step(k);
  }
}

/// What those know who have not freed it.
static void use(MPI_Comm comm, int k) {
  int size = 0, kind = MPI_UNDEFINED, place = -1, got_back = -1;
  OK(MPI_Comm_size(comm, &size));
  CHECK(size == ranks, "%d", size);
  OK(MPI_Topo_test(comm, &kind));
  CHECK(kind == (k % 2 == 1 ? MPI_CART : MPI_UNDEFINED), "%d", kind);
  if (kind == MPI_CART) {
    OK(MPI_Cart_coords(comm, me, 1, &place));
    CHECK(place == me, "%d", place);
  }
  OK(MPI_Sendrecv(&k, 1, MPI_INT, me, 1, &got_back, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE));
  CHECK(got_back == k, "%d", got_back);
  got_int(got_back);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm forgotten = MPI_COMM_NULL;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &forgotten));
  if (me == 0) OK(MPI_Comm_free(&forgotten));
  for (int k = 0; k < steps; ++k) {
    const int first = k % ranks, from = (first + 1) % ranks;
    int message[most], expected[most];
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < most; ++i) expected[i] = val(from, first, k, i), message[i] = me == from ? expected[i] : -1;
    const int circle = 1;
    if (k % 2 == 0) OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    else OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &circle, 0, &copy));
    if (me == first) {
      if (ranks > 1) OK(MPI_Irecv(message, most, MPI_INT, from, k, copy, &request));
      OK(MPI_Comm_free(&copy));
    }
    meet(k);
    if (me != first) use(copy, k);
    if (me != 0) use(forgotten, 2 * k);
    if (me == from && ranks > 1) OK(MPI_Send(message, most, MPI_INT, first, k, copy));
    if (me == first) {
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
      for (int i = 0; i < most && ranks > 1; ++i) {
        CHECK(message[i] == expected[i], "%d: %d instead of %d", i, message[i], expected[i]);
        got_int(message[i]);
      }
    } else {
      OK(MPI_Comm_free(&copy));
    }
  }
  return finish();
}
