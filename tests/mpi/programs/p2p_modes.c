// Point to point: every send mode, probes, wildcards (completions: p2p_completion.c).
#include "check.h"

enum { most = 300 };  // ints of a message
static MPI_Comm comm;
static int right, left;
typedef int send_fn(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_fn(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// Blocking, non-blocking, persistent.
static void modes(int k) {
  send_fn* b[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
  isend_fn* nb[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
  isend_fn* p[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
  int out[most], in[most], bsize = 8 * (most * (int)sizeof(int) + MPI_BSEND_OVERHEAD), got_size;
  void *buffer = malloc((size_t)bsize), *back;
  MPI_Request r[2];
  MPI_Status st[2];
  OK(MPI_Buffer_attach(buffer, bsize));
  for (int m = 0; m < 12; ++m) {
    // Open MPI 4.1.4: persistent bsends to oneself of 1 KB and more arrive broken.
    int n = 1 + val(0, m, k, 0) % (m == 10 ? 200 : most), count;
    fill(out, n, me, m, k);
    memset(in, 0xff, sizeof in);
    if (m < 8) {
      OK(MPI_Irecv(in, most, MPI_INT, left, m, comm, &r[0]));
      MPI_Barrier(comm);  // ready sends need the receive posted
      r[1] = MPI_REQUEST_NULL;
      if (m < 4) OK(b[m](out, n, MPI_INT, right, m, comm));
      else OK(nb[m - 4](out, n, MPI_INT, right, m, comm, &r[1]));
      OK(MPI_Waitall(2, r, st));
    } else {
      OK(MPI_Recv_init(in, most, MPI_INT, left, m, comm, &r[0]));
      OK(p[m - 8](out, n, MPI_INT, right, m, comm, &r[1]));
      for (int again = 0; again < 2; ++again) {
        fill(out, n, me, m, k);
        memset(in, 0xff, sizeof in);
        OK(MPI_Start(&r[0]));
        MPI_Barrier(comm);
        OK(again ? MPI_Startall(1, &r[1]) : MPI_Start(&r[1]));
        OK(MPI_Waitall(2, r, st));
        CHECK(r[0] != MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL, "freed");
      }
      OK(MPI_Request_free(&r[0]));
      OK(MPI_Request_free(&r[1]));
    }
    OK(MPI_Get_count(&st[0], MPI_INT, &count));
    CHECK(count == n && st[0].MPI_SOURCE == left && st[0].MPI_TAG == m, "%d", count);
    SAME(in, n, left, m, k);
    CHECK(n == most || in[n] == -1, "written past the end");
  }
  OK(MPI_Buffer_detach(&back, &got_size));
  CHECK(back == buffer && got_size == bsize, "size %d of %d", got_size, bsize);
  free(buffer);
}

/// Sendrecv, PROC_NULL, wildcards, vector.
static void pairs(int k) {
  int out[most], in[most], cols[10][7], n;
  MPI_Status st;
  MPI_Request r;
  MPI_Datatype column;
  fill(out, most, me, 20, k);
  OK(MPI_Sendrecv(out, most, MPI_INT, right, 20, in, most, MPI_INT, left, 20, comm, &st));
  SAME(in, most, left, 20, k);
  OK(MPI_Sendrecv_replace(out, most, MPI_INT, left, 21, right, 21, comm, MPI_STATUS_IGNORE));
  SAME(out, most, right, 20, k);
  OK(MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, comm));
  OK(MPI_Recv(in, most, MPI_INT, MPI_PROC_NULL, 0, comm, &st));
  MPI_Get_count(&st, MPI_INT, &n);
  CHECK(st.MPI_SOURCE == MPI_PROC_NULL && st.MPI_TAG == MPI_ANY_TAG && n == 0, "%d", n);
  for (int j = 0; j < ranks; ++j) {  // everyone to everyone, received as it comes
    int d = (me + j) % ranks;
    fill(out, 9, me, d, k);
    OK(MPI_Isend(out, 9, MPI_INT, d, 30 + me, comm, &r));
    OK(MPI_Recv(in, most, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st));
    CHECK(st.MPI_TAG == 30 + st.MPI_SOURCE, "tag %d", st.MPI_TAG);
    CHECK(same(in, 9, st.MPI_SOURCE, me, k), "from %d", st.MPI_SOURCE);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  }
  MPI_Barrier(comm);
  MPI_Type_vector(10, 1, 7, MPI_INT, &column);
  MPI_Type_commit(&column);
  memset(cols, 0, sizeof cols);
  fill(out, 10, me, 22, k);
  OK(MPI_Sendrecv(out, 10, MPI_INT, right, 22, &cols[0][3], 1, column, left, 22, comm, &st));
  for (int i = 0; i < 70; ++i) CHECK(cols[i / 7][i % 7] == (i % 7 == 3 ? val(left, 22, k, i / 7) : 0), "at %d", i);
  got(cols, sizeof cols);
  OK(MPI_Type_free(&column));
}

static void truncation(int k) {
  int out[8], in[8], rc;
  MPI_Request r;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  fill(out, 8, me, 23, k);
  OK(MPI_Isend(out, 8, MPI_INT, right, 23, comm, &r));
  rc = MPI_Recv(in, 4, MPI_INT, left, 23, comm, MPI_STATUS_IGNORE);
  CHECK(class_of(rc) == MPI_ERR_TRUNCATE, "class %d", class_of(rc));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  MPI_Message m;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  OK(MPI_Isend(out, 8, MPI_INT, right, 24, comm, &r));
  OK(MPI_Mprobe(left, 24, comm, &m, MPI_STATUS_IGNORE));
  rc = MPI_Mrecv(in, 4, MPI_INT, &m, MPI_STATUS_IGNORE);
  CHECK(class_of(rc) == MPI_ERR_TRUNCATE, "class %d", class_of(rc));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

static void probes(int k) {
  int out[4][most], in[most], n, flag;
  MPI_Request r[4], rr;
  MPI_Message m;
  MPI_Status st;
  for (int t = 0; t < 4; ++t) {
    fill(out[t], 10 + t, me, 40 + t, k);
    OK(MPI_Isend(out[t], 10 + t, MPI_INT, right, 40 + t, comm, &r[t]));
  }
  for (int t = 3; t >= 0; t--) {  // taken in the opposite order
    memset(&st, 0, sizeof st);
    if (t == 3) OK(MPI_Probe(MPI_ANY_SOURCE, 43, comm, &st));
    if (t == 2)
      for (flag = 0; !flag;) OK(MPI_Iprobe(left, 42, comm, &flag, &st));
    if (t == 1) OK(MPI_Mprobe(left, 41, comm, &m, &st));
    if (t == 0)
      for (flag = 0; !flag;) OK(MPI_Improbe(left, MPI_ANY_TAG, comm, &flag, &m, &st));
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 10 + t && st.MPI_TAG == 40 + t && st.MPI_SOURCE == left, "%d", n);
    if (t >= 2) OK(MPI_Recv(in, n, MPI_INT, left, st.MPI_TAG, comm, &st));
    if (t == 1) OK(MPI_Mrecv(in, n, MPI_INT, &m, &st));
    if (t == 0) {
      OK(MPI_Imrecv(in, n, MPI_INT, &m, &rr));
      OK(MPI_Wait(&rr, &st));
    }
    CHECK(t >= 2 || m == MPI_MESSAGE_NULL, "message handle kept");
    SAME(in, n, left, 40 + t, k);
  }
  OK(MPI_Iprobe(MPI_ANY_SOURCE, 99, comm, &flag, &st));
  CHECK(!flag, "a message nobody sent");
  OK(MPI_Improbe(MPI_PROC_NULL, 5, comm, &flag, &m, &st));
  CHECK(flag && m == MPI_MESSAGE_NO_PROC, "improbe of PROC_NULL");
  OK(MPI_Mrecv(in, 1, MPI_INT, &m, &st));
  OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  for (int k = 0; k < steps; ++k) {
    modes(k);
    pairs(k);
    truncation(k);
    probes(k);
    step(k);
  }
  MPI_Comm_free(&comm);
  return finish();
}
