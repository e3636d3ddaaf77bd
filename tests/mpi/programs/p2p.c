// Point-to-point in all its modes, probes and completions.
#include "check.h"

static int right, left;

static void blocking(int k) {
  int in = -1, out = me * 1000 + k;
  MPI_Status status;
  MPI_Request r;
  MPI_Irecv(&in, 1, MPI_INT, left, k % 5, MPI_COMM_WORLD, &r);
  switch (k % 4) {
    case 0: MPI_Send(&out, 1, MPI_INT, right, k % 5, MPI_COMM_WORLD); break;
    case 1: MPI_Ssend(&out, 1, MPI_INT, right, k % 5, MPI_COMM_WORLD); break;
    case 2: MPI_Bsend(&out, 1, MPI_INT, right, k % 5, MPI_COMM_WORLD); break;
    case 3: MPI_Barrier(MPI_COMM_WORLD); MPI_Rsend(&out, 1, MPI_INT, right, k % 5, MPI_COMM_WORLD); break;
  }
  MPI_Wait(&r, &status);
  CHECK(in == left * 1000 + k && status.MPI_SOURCE == left && status.MPI_TAG == k % 5 && r == MPI_REQUEST_NULL);
  int n = 0;
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == 1);
  got_int(in);
  MPI_Sendrecv(&out, 1, MPI_INT, left, 9, &in, 1, MPI_INT, right, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in == right * 1000 + k);
  in = out;
  MPI_Sendrecv_replace(&in, 1, MPI_INT, right, 8, left, 8, MPI_COMM_WORLD, &status);
  CHECK(in == left * 1000 + k && status.MPI_SOURCE == left);
  in = 7;
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(in == 7 && n == 0 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

enum { many = 8, big = 40000 };
static int buffers[many][big], copies[many][big];

static void non_blocking(int k) {
  MPI_Request all[2 * many];
  MPI_Status statuses[2 * many];
  for (int i = 0; i < many; ++i) fill(buffers[i], big, me, i, k);
  for (int i = 0; i < many; ++i) MPI_Irecv(copies[i], big, MPI_INT, left, 100 + i, MPI_COMM_WORLD, &all[i]);
  for (int i = 0; i < many; ++i)
    (i % 2 ? MPI_Isend : MPI_Issend)(buffers[i], big, MPI_INT, right, 100 + i, MPI_COMM_WORLD, &all[many + i]);
  int flag = 0, index = -1, count = 0, indices[2 * many], left_over = 2 * many;
  switch (k % 6) {
    case 0: MPI_Waitall(2 * many, all, statuses); left_over = 0; break;
    case 1: while (!flag) MPI_Testall(2 * many, all, &flag, MPI_STATUSES_IGNORE); left_over = 0; break;
    case 2:
      for (; left_over > 0; --left_over) {
        MPI_Waitany(2 * many, all, &index, &statuses[0]);
        CHECK(index >= 0 && index < 2 * many && all[index] == MPI_REQUEST_NULL);
      }
      MPI_Waitany(2 * many, all, &index, &statuses[0]);
      CHECK(index == MPI_UNDEFINED);
      break;
    case 3:
      while (left_over > 0) {
        MPI_Waitsome(2 * many, all, &count, indices, statuses);
        left_over -= count;
      }
      break;
    case 4:
      while (left_over > 0) {
        MPI_Testsome(2 * many, all, &count, indices, MPI_STATUSES_IGNORE);
        left_over -= count;
      }
      break;
    case 5:
      while (left_over > 0) {
        MPI_Testany(2 * many, all, &index, &flag, MPI_STATUS_IGNORE);
        if (flag) --left_over;
      }
      break;
  }
  for (int i = 0; i < many; ++i) SAME(copies[i], big, left, i, k);
}

static void probes(int k) {
  MPI_Status status;
  MPI_Request r;
  MPI_Message message;
  int n = 0, flag = 0, size = 3 + k % 4, data[8] = {k, me, 2, 3, 4, 5, 6, 7}, in[8] = {0};
  MPI_Isend(data, size, MPI_INT, right, 50, MPI_COMM_WORLD, &r);
  if (k % 2) MPI_Probe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &status);
  else while (!flag) MPI_Iprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == size && status.MPI_SOURCE == left && status.MPI_TAG == 50);
  MPI_Recv(in, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  CHECK(in[0] == k && in[1] == left);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Isend(data, size, MPI_INT, right, 51, MPI_COMM_WORLD, &r);
  flag = 0;
  if (k % 2) MPI_Mprobe(left, 51, MPI_COMM_WORLD, &message, &status);
  else while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &flag, &message, &status);
  memset(in, 0, sizeof in);
  if (k % 3) MPI_Mrecv(in, 8, MPI_INT, &message, &status);
  else {
    MPI_Request m;
    MPI_Imrecv(in, 8, MPI_INT, &message, &m);
    MPI_Wait(&m, &status);
  }
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == size && in[1] == left && message == MPI_MESSAGE_NULL);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  got_int(in[1]);
}

static void persistent(int k) {
  static MPI_Request pair[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  static int in, out;
  if (k == 0) {
    MPI_Send_init(&out, 1, MPI_INT, right, 60, MPI_COMM_WORLD, &pair[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 60, MPI_COMM_WORLD, &pair[1]);
  }
  out = me + 10 * k;
  MPI_Startall(2, pair);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  CHECK(in == left + 10 * k && pair[0] != MPI_REQUEST_NULL);
}

static void rarer(int k) {
  int in[4] = {0}, out[4] = {k, k + 1, k + 2, me}, flag = 0, rc;
  MPI_Request r, s;
  MPI_Status status;
  MPI_Irecv(in, 4, MPI_INT, left, 777, MPI_COMM_WORLD, &r);  // nobody sends this
  MPI_Request_get_status(r, &flag, &status);
  CHECK(!flag);
  MPI_Cancel(&r);
  MPI_Wait(&r, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  MPI_Isend(out, 4, MPI_INT, right, 61, MPI_COMM_WORLD, &s);
  MPI_Request_free(&s);
  CHECK(s == MPI_REQUEST_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  rc = MPI_Recv(in, 2, MPI_INT, left, 61, MPI_COMM_WORLD, &status);
  CHECK(class_of(rc) == MPI_ERR_TRUNCATE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Datatype column;
  int grid[6][6] = {{0}}, values[6] = {1 + me, 2, 3, 4, 5, 6 + k};
  MPI_Type_vector(6, 1, 6, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Isend(values, 6, MPI_INT, right, 62, MPI_COMM_WORLD, &s);
  MPI_Recv(&grid[0][2], 1, column, left, 62, MPI_COMM_WORLD, &status);
  MPI_Type_free(&column);
  MPI_Wait(&s, MPI_STATUS_IGNORE);
  CHECK(grid[0][2] == 1 + left && grid[5][2] == 6 + k && grid[1][1] == 0 && grid[3][2] == 4);
  got(grid, sizeof grid);
  MPI_Barrier(MPI_COMM_WORLD);  // the freed send's buffer must stay until it was received
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  static char attached[4096 + MPI_BSEND_OVERHEAD];
  MPI_Buffer_attach(attached, sizeof attached);
  for (int k = 0; k < steps; ++k) {
    blocking(k);
    non_blocking(k);
    probes(k);
    persistent(k);
    rarer(k);
    step(k);
  }
  void* back = NULL;
  int size = 0;
  MPI_Buffer_detach(&back, &size);
  CHECK(back == attached && size == (int)sizeof attached);
  return finish();
}
