// Needs of a live MPI what its argument names, across all steps:
//   tags       the program has asked for MPI_TAG_UB
//   unasked    it has not, and uses small tags
//   request    a receive is pending whose tag is the third argument
//   datatype   a datatype is made of a predefined one that one MPI has and the other lacks
//   counts     a datatype has a count that no int holds; for an mpi.h of MPI-4
// Arguments: NEED [TAG]
#include "../../mpi/programs/check.h"

static MPI_Datatype rare(void) {
#if defined(OPEN_MPI)
  return MPI_LOGICAL1;
#elif defined(MPIX_C_FLOAT16)
  return MPIX_C_FLOAT16;
#else
  return MPI_DATATYPE_NULL;
#endif
}

static MPI_Datatype made = MPI_DATATYPE_NULL;
static MPI_Request pending = MPI_REQUEST_NULL;
static int late;

static void need(const char* what, int tag) {
  if (strcmp(what, "tags") == 0) {
    int *bound, found;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
    if (me == 0) printf("told %d\n", *bound);
  }
  if (strcmp(what, "datatype") == 0) OK(MPI_Type_contiguous(2, rare(), &made));
#if MPI_VERSION >= 4
  if (strcmp(what, "counts") == 0) OK(MPI_Type_contiguous_c((MPI_Count)3 << 30, MPI_BYTE, &made));
#endif
  if (strcmp(what, "request") == 0) OK(MPI_Irecv(&late, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &pending));
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "unasked";
  const int tag = argc > 2 ? atoi(argv[2]) : 0;
  int none = 1;
  begin(&none, &argv);
  steps = 20, pause_ms = 50;
  need(what, tag);
  for (int k = 0; k < steps; ++k) {
    int out = val(me, 0, k, 0), in = -1;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % ranks, 3, &in, 1, MPI_INT, (me + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    got_int(in);
    step(k);
  }
  if (pending != MPI_REQUEST_NULL) {
    OK(MPI_Send(&me, 1, MPI_INT, me, tag, MPI_COMM_WORLD));
    OK(MPI_Wait(&pending, MPI_STATUS_IGNORE));
  }
  if (made != MPI_DATATYPE_NULL) OK(MPI_Type_free(&made));
  return finish();
}
