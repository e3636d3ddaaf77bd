// INV-88: MPI_Finalize calls the delete functions of what the program attached to MPI_COMM_SELF and MPI_COMM_WORLD, and of
// nothing else; one of each fails. The checkpoint comes while the world's last one runs.
// hunt: ranks=2 modes=plain,resume,restart,twice ct=20
#include "hold.h"

static int rank;

static int delete_one(MPI_Comm comm, int key, void* value, void* extra) {
  const char* const of = comm == MPI_COMM_SELF ? "self" : comm == MPI_COMM_WORLD ? "world" : "another";
  int has_ended = -1;
  MPI_Finalized(&has_ended);
  printf("FINAL rank %d: %ld of %s, MPI has ended: %d\n", rank, (long)value, of, has_ended);
  fflush(stdout);
  if (comm == MPI_COMM_WORLD && (long)value == 3) hold(rank);
  return (long)value == 2 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm kept;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  for (long value = 1; value <= 3; ++value) {
    int key = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_one, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)value);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, (void*)value);
    MPI_Comm_set_attr(kept, key, (void*)value);
  }
  MPI_Finalize();
  printf("FINAL rank %d: the end\n", rank);
  return 0;
}
