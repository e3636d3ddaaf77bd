// Wrong handles and refused functions end in the error class of their kind, through the error handler, and harm nothing.
#include "check.h"

static int class_of(int code) {
  int mpi_class = -1;
  MPI_Error_class(code, &mpi_class);
  return mpi_class;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv);
  int x = 1, y = 0, size = 0;
  char text[MPI_MAX_ERROR_STRING];
  for (int k = 0; k < n; ++k) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm stale, copy;
    MPI_Datatype type, old_type;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    stale = copy;
    MPI_Comm_free(&copy);
    CHECK(class_of(MPI_Barrier(stale)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Comm_size(stale, &size)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Barrier(MPI_COMM_NULL)) == MPI_ERR_COMM);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    old_type = type;
    MPI_Type_free(&type);
    CHECK(class_of(MPI_Send(&x, 1, old_type, 0, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Send(&x, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD)) == MPI_ERR_OP);
    MPI_Request foreign;
    memset(&foreign, 0x5a, sizeof foreign);
    CHECK(class_of(MPI_Wait(&foreign, MPI_STATUS_IGNORE)) == MPI_ERR_REQUEST);
    MPI_Comm spawned;
    CHECK(MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &spawned, MPI_ERRCODES_IGNORE) != MPI_SUCCESS);
    const int code = class_of(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    CHECK(code == MPI_ERR_COUNT);
    MPI_Error_string(code, text, &size);
    CHECK(size > 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(y == ranks);
    MIX(y);
    step(k, n, argc, argv);
  }
  return finish();
}
