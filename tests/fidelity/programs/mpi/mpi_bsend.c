// Buffered sends that nobody has received at the lines. The buffer is attached before, and comes back complete.
// ranks: 2
#include "pair.h"

enum { count = 5, length = 400 };
static char space[count * (length * sizeof(int) + MPI_BSEND_OVERHEAD)];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int values[length], found[length];
  MPI_Buffer_attach(space, sizeof space);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < length; ++k) values[k] = 1000 * round + 10 * i + k;
      MPI_Bsend(values, length, MPI_INT, other(), i, MPI_COMM_WORLD);
    }
    line();
    for (int i = count - 1; i >= 0; --i) {
      MPI_Recv(found, length, MPI_INT, other(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(found[0] == 1000 * round + 10 * i && found[length - 1] == found[0] + length - 1, "%d", found[0]);
    }
    together();
  }
  void* buffer = NULL;
  int size = 0;
  MPI_Buffer_detach(&buffer, &size);
  CHECK(buffer == space && size == (int)sizeof space, "%d", size);
  return finish();
}
