// MPI_Remove_error_class, _code and _string (MPI-4.1), called past mpi.h, which may not have them.
#include <running_mpi.hpp>

#include <mana/calls.hpp>

namespace errhandler_removed_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a code, a text and a class that were added are removed, once") {
  int error_class = 0, code = 0, length = -1;
  char text[MPI_MAX_ERROR_STRING];
  CHECK(MPI_Add_error_class(&error_class) == MPI_SUCCESS);
  CHECK(MPI_Add_error_code(error_class, &code) == MPI_SUCCESS);
  CHECK(MPI_Add_error_string(code, "words") == MPI_SUCCESS);
  CHECK(manual::remove_error_string(code) == MPI_SUCCESS);
  CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
  CHECK(length == 0);
  check_error(object::finish(manual::remove_error_class(code)), MPI_ERR_OTHER);
  CHECK(manual::remove_error_code(code) == MPI_SUCCESS);
  check_error(object::finish(manual::remove_error_code(code)), MPI_ERR_OTHER);
  CHECK(manual::remove_error_class(error_class) == MPI_SUCCESS);
  check_error(object::finish(manual::remove_error_class(error_class)), MPI_ERR_OTHER);
  check_error(object::finish(manual::remove_error_code(MPI_ERR_ARG)), MPI_ERR_OTHER);
}

}  // namespace errhandler_removed_tests
