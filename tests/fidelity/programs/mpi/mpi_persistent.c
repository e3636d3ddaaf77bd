// Persistent requests that were started before the lines and are completed after, by Waitall and by Testany, and
// started again.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in[3] = {0}, out[3] = {0};
  MPI_Request all[6];
  MPI_Status statuses[6];
  for (int i = 0; i < 3; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, i == 1 ? MPI_ANY_SOURCE : other(), i, MPI_COMM_WORLD, &all[i]);
    if (i == 2) MPI_Ssend_init(&out[i], 1, MPI_INT, other(), i, MPI_COMM_WORLD, &all[3 + i]);
    else MPI_Send_init(&out[i], 1, MPI_INT, other(), i, MPI_COMM_WORLD, &all[3 + i]);
  }
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 3; ++i) out[i] = 10 * round + i, in[i] = -1;
    MPI_Startall(6, all);
    if (round == 1 || round == 2) line();
    if (round % 2) MPI_Waitall(6, all, statuses);
    else {
      for (int left = 6, which, found; left > 0;) {
        MPI_Testany(6, all, &which, &found, MPI_STATUS_IGNORE);
        left -= found;
      }
    }
    for (int i = 0; i < 3; ++i) CHECK(in[i] == 10 * round + i, "%d", in[i]);
    for (int i = 0; i < 6; ++i) CHECK(all[i] != MPI_REQUEST_NULL);
  }
  for (int i = 0; i < 6; ++i) MPI_Request_free(&all[i]);
  return finish();
}
