// Messages that stay under way over many steps, on a duplicated communicator: a checkpoint always finds some. They are
// received later by tag, by wildcard, by probe, strided, and too short.
#include "check.h"

enum { delay = 7, big = 50000 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv), right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  static int small[delay][16], large[delay][big], in[big];
  MPI_Request sending[delay][2];
  MPI_Comm copy;
  MPI_Datatype column;
  MPI_Status status;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  MPI_Type_vector(16, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int k = 0; k < n + delay; ++k) {
    const int slot = k % delay;
    if (k >= delay) {
      const int sent = k - delay;
      int count = 0;
      memset(in, 0, sizeof in);
      switch (sent % 4) {
        case 0: MPI_Recv(in, 16, MPI_INT, left, 2 * sent, copy, &status); break;
        case 1: MPI_Probe(MPI_ANY_SOURCE, 2 * sent, copy, &status);
                MPI_Get_count(&status, MPI_INT, &count);
                CHECK(count == 16);
                MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, 2 * sent, copy, &status); break;
        case 2: MPI_Recv(in, 1, column, left, MPI_ANY_TAG, copy, &status);    // the oldest one
                for (int i = 0; i < 16; ++i) in[i] = in[3 * i];
                break;
        case 3: { int mpi_class = 0;
                const int rc = MPI_Recv(in, 4, MPI_INT, left, 2 * sent, copy, &status);
                MPI_Error_class(rc, &mpi_class);
                CHECK(mpi_class == MPI_ERR_TRUNCATE); break; }
      }
      CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 2 * sent);
      if (sent % 4 != 3) CHECK(in[0] == left + sent && in[15] == left + sent + 15);
      if (sent % 4 != 3) MIX(in[3]);      // what is in the buffer after a truncation is not defined
      MPI_Message message;
      MPI_Mprobe(left, 2 * sent + 1, copy, &message, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      CHECK(count == big);
      MPI_Mrecv(in, big, MPI_INT, &message, MPI_STATUS_IGNORE);
      CHECK(in[0] == left * sent && in[big - 1] == left * sent + big - 1);
      MPI_Waitall(2, sending[slot], MPI_STATUSES_IGNORE);
    }
    if (k < n) {
      for (int i = 0; i < 16; ++i) small[slot][i] = me + k + i;
      for (int i = 0; i < big; ++i) large[slot][i] = me * k + i;
      MPI_Isend(small[slot], 16, MPI_INT, right, 2 * k, copy, &sending[slot][0]);
      MPI_Isend(large[slot], big, MPI_INT, right, 2 * k + 1, copy, &sending[slot][1]);
      step(k, n, argc, argv);
    }
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&copy);
  return finish();
}
