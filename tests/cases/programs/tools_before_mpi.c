// INV-135: MPI_T is begun before MPI_Init, and the checkpoint comes between the two: all that the program asks of it afterwards is
// answered as natively. A control variable keeps its handle, and each name still finds its number. (The live MPI of a restart runs
// before the program starts it. Open MPI has unloaded some variables by then, which have no name any more.)
// hunt: ranks=2 modes=plain,resume,restart,twice
#include "hold.h"

#include <string.h>

int main(int argc, char** argv) {
  int provided, variables = 0, categories = 0, number = -1, named = 0, wrong = 0, count = 0, rank = 0;
  MPI_T_cvar_handle first = MPI_T_CVAR_HANDLE_NULL;
  char name[512];
  const char* const launched = getenv("PMI_RANK") != NULL ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  const int made = MPI_T_cvar_handle_alloc(0, NULL, &first, &count);
  hold(launched != NULL ? atoi(launched) : 0);

  const int asked = MPI_T_cvar_get_num(&variables), counted = MPI_T_category_get_num(&categories);
  for (int i = 0; i < variables; ++i) {
    int length = sizeof name, none = 0, verbosity, bind, scope;
    MPI_Datatype type;
    MPI_T_enum values;
    if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, NULL, &none, &bind, &scope) != MPI_SUCCESS) continue;
    ++named;
    if (MPI_T_cvar_get_index(name, &number) != MPI_SUCCESS || number != i) ++wrong;
  }
  const int unknown = MPI_T_cvar_get_index("no such variable", &number);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char value[4096];
  const int read = made == MPI_SUCCESS ? MPI_T_cvar_read(first, value) : -1;
  printf("FINAL %d: %d of %s variables, %d of %s categories, %d numbers are wrong, an unknown name %s, the first is read: %d\n", rank,
         asked, named > 0 ? "some" : "no", counted, categories > 0 ? "some" : "no", wrong,
         unknown == MPI_T_ERR_INVALID_NAME ? "is invalid" : "passes", read);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
