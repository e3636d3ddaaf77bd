// MPI_Error_class and MPI_Error_string of what this mpi.h has.
#include <running_mpi.hpp>

namespace errhandler_classes_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

void check_own_class(int code) {
  CAPTURE(code);
  int found = -1, length = -1;
  char text[MPI_MAX_ERROR_STRING] = {};
  CHECK(MPI_Error_class(code, &found) == MPI_SUCCESS);
  CHECK(found == code);
  CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
  CHECK(length > 0);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "each error class is its own class, the last code too, and has a text") {
  check_own_class(MPI_ERR_BUFFER);
  check_own_class(MPI_ERR_RMA_SHARED);
  check_own_class(MPI_ERR_LASTCODE);
#ifdef MPI_ERR_REVOKED
  check_own_class(MPI_ERR_PROC_FAILED);
  check_own_class(MPI_ERR_PROC_FAILED_PENDING);
  check_own_class(MPI_ERR_REVOKED);
#endif
#ifdef MPIX_ERR_REVOKED
  check_own_class(MPIX_ERR_PROC_FAILED);
  check_own_class(MPIX_ERR_PROC_FAILED_PENDING);
  check_own_class(MPIX_ERR_REVOKED);
#endif
}

}  // namespace errhandler_classes_tests
