// Needs its MPI: whoever loads it loads that.
#include <mpi.h>

int is_there(void) {
  int flag = 0;
  return MPI_Initialized(&flag) == MPI_SUCCESS && flag;
}
