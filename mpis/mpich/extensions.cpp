// MPICH's interface for several tools at a time (QMPI). Answers as an MPICH that was built without it, such as
// Debian's. Such tools would see the wrapper library's calls, and the wrapper library has no place for them.
#include <mana/call/declared.hpp>

#include <mpi.h>

#pragma GCC visibility push(default)
extern "C" {

int QMPI_Register_tool_name(const char*, void (*)(int)) { return MPI_ERR_UNSUPPORTED_OPERATION; }
int QMPI_Register_tool_storage(int, void*) { return MPI_ERR_UNSUPPORTED_OPERATION; }
int QMPI_Register_function(int, mana::call::declared_parameter<decltype(QMPI_Register_function), 1>, void (*)(void)) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
int QMPI_Get_function(int, mana::call::declared_parameter<decltype(QMPI_Get_function), 1>, void (**)(void), int*) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
int QMPI_Get_tool_storage(QMPI_Context, int, void**) { return MPI_ERR_UNSUPPORTED_OPERATION; }
int QMPI_Get_calling_address(QMPI_Context, void**) { return MPI_ERR_UNSUPPORTED_OPERATION; }

}
#pragma GCC visibility pop
