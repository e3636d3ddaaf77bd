// How many elements MPI_DOUBLE_INT and its like are, for themselves and as parts of another datatype, which is not the same in
// both MPIs; also of a status that the program keeps through the checkpoint.
// hunt: ranks=1 modes=plain,restart
#include "hold.h"

enum { kinds = 4 };

static MPI_Status whole[kinds], parts[kinds];
static MPI_Datatype two[kinds];

static void show(const char* when, int i, MPI_Datatype type) {
  int count = -2, elements = -2, of_two = -2;
  MPI_Get_count(&whole[i], type, &count);
  MPI_Get_elements(&whole[i], type, &elements);
  MPI_Get_elements(&parts[i], two[i], &of_two);
  printf("FINAL %s: kind %d: %d, %d elements, %d in another\n", when, i, count, elements, of_two);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Datatype types[kinds] = {MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_2INT, MPI_DOUBLE};
  static char from[256], to[256];
  for (int i = 0; i < kinds; ++i) {
    MPI_Type_contiguous(2, types[i], &two[i]);
    MPI_Type_commit(&two[i]);
    MPI_Sendrecv(from, 3, types[i], 0, 0, to, 5, types[i], 0, 0, MPI_COMM_SELF, &whole[i]);
    MPI_Sendrecv(from, 3, types[i], 0, 0, to, 2, two[i], 0, 0, MPI_COMM_SELF, &parts[i]);
    show("before", i, types[i]);
  }
  fflush(stdout);
  hold(0);
  for (int i = 0; i < kinds; ++i) show("after", i, types[i]);
#ifdef OPEN_MPI      // MPICH takes the number of elements for the number of pairs
  MPI_Status made;
  int count = -2, elements = -2;
  MPI_Status_set_elements(&made, MPI_DOUBLE_INT, 3);
  MPI_Get_count(&made, MPI_DOUBLE_INT, &count);
  MPI_Get_elements(&made, MPI_DOUBLE_INT, &elements);
  printf("FINAL three: %d, %d elements\n", count, elements);
#endif
  MPI_Finalize();
  return 0;
}
