// MPICH's interface for several tools at a time (QMPI). It answers as that of an MPICH which was built without it does,
// as Debian's is: what such tools would see is the wrapper library's, and there is no place for them in it.
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
