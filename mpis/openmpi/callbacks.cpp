// The attribute callbacks that Open MPI's library exports as functions, under their names in mpi.h.
#include <mpi.h>

namespace {

int copy_nothing(int* flag) noexcept {
  *flag = 0;
  return MPI_SUCCESS;
}
int copy_value(void* from, void* to, int* flag) noexcept {
  *flag = 1;
  *static_cast<void**>(to) = from;
  return MPI_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
#define MANA_CALLBACKS(kind, handle)                                                                              \
  int OMPI_C_MPI_##kind##NULL_DELETE_FN(handle, int, void*, void*) { return MPI_SUCCESS; }                        \
  int OMPI_C_MPI_##kind##NULL_COPY_FN(handle, int, void*, void*, void*, int* flag) { return copy_nothing(flag); } \
  int OMPI_C_MPI_##kind##DUP_FN(handle, int, void*, void* from, void* to, int* flag) {                            \
    return copy_value(from, to, flag);                                                                            \
  }
MANA_CALLBACKS(, MPI_Comm)
MANA_CALLBACKS(COMM_, MPI_Comm)
MANA_CALLBACKS(TYPE_, MPI_Datatype)
MANA_CALLBACKS(WIN_, MPI_Win)
#undef MANA_CALLBACKS
}
#pragma GCC visibility pop
