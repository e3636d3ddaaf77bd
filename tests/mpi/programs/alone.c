// Messages to oneself, with and without collectives under way on the same communicator of one process. Tags are as MPICH's
// collectives have them.
#include "check.h"

enum { first_tag = 280, tags = 24 };

/// A message is under way while a collective starts and ends; each gets its own.
static void beside(MPI_Comm q, int tag, int k) {
  int out = val(me, tag, k, 0), in = -1, all = val(me, tag, k, 1), mine = -1;
  MPI_Request s, c;
  OK(MPI_Isend(&out, 1, MPI_INT, 0, tag, q, &s));
  OK(MPI_Ialltoall(&all, 1, MPI_INT, &mine, 1, MPI_INT, q, &c));
  OK(MPI_Recv(&in, 1, MPI_INT, 0, tag, q, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&c, MPI_STATUS_IGNORE));
  CHECK(in == out && mine == all, "tag %d: %d and %d instead of %d and %d", tag, in, mine, out, all);
  got_int(in);
  got_int(mine);
}

/// Whoever receives anything gets no message of a collective.
static void anything(MPI_Comm q, int tag, int k) {
  int out = val(me, tag, k, 2), in = -1, all = val(me, tag, k, 3), mine = -1;
  MPI_Request r, c;
  MPI_Status st;
  OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, q, &r));
  OK(MPI_Ialltoall(&all, 1, MPI_INT, &mine, 1, MPI_INT, q, &c));
  OK(MPI_Wait(&c, MPI_STATUS_IGNORE));
  OK(MPI_Send(&out, 1, MPI_INT, 0, tag, q));
  OK(MPI_Wait(&r, &st));
  CHECK(in == out && mine == all && st.MPI_TAG == tag, "tag %d of %d: %d and %d", st.MPI_TAG, tag, in, mine);
  got_int(in);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm own;
  OK(MPI_Comm_split(MPI_COMM_WORLD, me, 0, &own));
  for (int k = 0; k < steps; ++k) {
    for (int t = 0; t < tags; ++t) {
      MPI_Comm fresh;      // whose collectives are counted from the first
      OK(MPI_Comm_dup(own, &fresh));
      beside(fresh, first_tag + t, k);
      beside(own, first_tag + t + k, k);
      anything(own, first_tag + t, k);
      OK(MPI_Comm_free(&fresh));
    }
    step(k);
  }
  MPI_Comm_free(&own);
  return finish();
}
