// INV-82: a checkpoint while the program's functions for attributes run: rank 0 is in the delete function of MPI_COMM_SELF,
// which MPI_Finalize calls, and waits there for a message of rank 1, which is in the copy function of MPI_Type_dup.
// hunt: ranks=2 modes=plain,resume,restart,twice ct=20
#include "hold.h"

static int rank, is_duplicated;

/// Says that the rank is at the place of the checkpoint, and does not wait there.
static void is_here(void) {
  const char* const name = getenv("HOLD");
  char mine[4096];
  if (name == NULL) return;
  snprintf(mine, sizeof mine, "%s.%d", name, rank);
  close(open(mine, O_CREAT | O_WRONLY, 0600));
}

static int delete_last(MPI_Comm comm, int key, void* value, void* extra) {
  int size = 0, number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  is_here();
  MPI_Recv(&number, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("FINAL rank %d of %d: deleted %ld, told %d\n", rank, size, (long)value, number);
  return MPI_SUCCESS;
}

static int copy_number(MPI_Datatype type, int key, void* extra, void* value, void* copy, int* wanted) {
  int number = 4711;
  hold(rank);
  MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  *(void**)copy = (char*)value + 1;
  return *wanted = 1, ++is_duplicated, MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int of_self = 0, of_type = 0, found = 0, extent = 0;
  if (rank == 0) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_last, &of_self, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, of_self, (void*)41L);
  } else {
    MPI_Datatype type, same;
    void* value = NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_create_keyval(copy_number, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL);
    MPI_Type_set_attr(type, of_type, (void*)10L);
    MPI_Type_dup(type, &same);
    MPI_Type_free(&type);
    MPI_Type_get_attr(same, of_type, &value, &found);
    MPI_Type_size(same, &extent);
    printf("FINAL rank 1: %d duplicates, %d with %ld, %d bytes\n", is_duplicated, found, (long)value, extent);
    MPI_Type_free(&same);
  }
  MPI_Finalize();
  return 0;
}
