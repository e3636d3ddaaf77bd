// Messages in flight over many steps, on duplicated communicators: a checkpoint always finds some. Small ones and 200
// KB ones, sent at step k, received at step k + 7: by tag, by wildcard, probed, strided, and too short.
#include "check.h"

enum { lag = 7, slots = lag + 1, small = 25, big = 50000 };  // steps, their buffers; ints of a message
static MPI_Comm stream, wild;  // the second is received with wildcards
static MPI_Datatype column;  // every third int
static int right, left;
static int out_small[slots][small], out_big[slots][big], out_wild[slots][small];
static int in_big[big], in_wild[slots][small];
static MPI_Request s_small[slots], s_big[slots], *s_wild[slots], r_wild[slots];

static int small_tag(int k) { return 2 * k; }
static int big_tag(int k) { return 2 * k + 1; }
static int speaker(int k) { return val(1, 2, k, 3) % ranks; }

static void send(int k) {
  int s = k % slots;
  fill(out_small[s], small, me, 1, k);
  fill(out_big[s], big, me, 2, k);
  OK(MPI_Isend(out_small[s], small, MPI_INT, right, small_tag(k), stream, &s_small[s]));
  OK(MPI_Isend(out_big[s], big, MPI_INT, left, big_tag(k), stream, &s_big[s]));
  if (me == speaker(k)) {
    fill(out_wild[s], small, me, 3, k);
    for (int d = 0; d < ranks; ++d) OK(MPI_Isend(out_wild[s], small, MPI_INT, d, k, wild, &s_wild[s][d]));
  }
}

/// Any message on the stream: its envelope has to be one that may be there.
static void look(int k) {
  int flag, n;
  MPI_Status st;
  OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, stream, &flag, &st));
  if (flag) {
    const int sent = st.MPI_TAG / 2, is_big = st.MPI_TAG % 2;
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == (is_big ? big : small), "%d ints, tag %d", n, st.MPI_TAG);
    CHECK(st.MPI_SOURCE == (is_big ? right : left), "from %d", st.MPI_SOURCE);
    CHECK(sent > k - lag && sent < k + 2 * slots * ranks, "of step %d at %d", sent, k);
  }
  OK(MPI_Iprobe(left, small_tag(k + 100000), stream, &flag, &st));
  CHECK(!flag, "a message nobody sent");
}

/// The oldest small message, sent at step k, in one of four ways.
static void receive_small(int k) {
  int in[3 * small], n;
  MPI_Status st;
  MPI_Message m;
  OK(MPI_Probe(left, MPI_ANY_TAG, stream, &st));  // the oldest of that sender
  MPI_Get_count(&st, MPI_INT, &n);
  CHECK(st.MPI_TAG == small_tag(k) && n == small, "tag %d, %d ints at %d", st.MPI_TAG, n, k);
  switch (k % 4) {
    case 0:
      OK(MPI_Mprobe(left, small_tag(k), stream, &m, &st));
      OK(MPI_Mrecv(in, small, MPI_INT, &m, &st));
      break;
    case 1: OK(MPI_Recv(in, small, MPI_INT, left, MPI_ANY_TAG, stream, &st)); break;
    case 2:
      OK(MPI_Recv(in, 1, column, left, small_tag(k), stream, &st));
      for (int i = 0; i < small; ++i) in[i] = in[3 * i];
      break;
    case 3:
      MPI_Comm_set_errhandler(stream, MPI_ERRORS_RETURN);
      n = class_of(MPI_Recv(in, 4, MPI_INT, left, small_tag(k), stream, &st));
      CHECK(n == MPI_ERR_TRUNCATE, "class %d", n);
      MPI_Comm_set_errhandler(stream, MPI_ERRORS_ARE_FATAL);
      break;
  }
  CHECK(st.MPI_TAG == small_tag(k) && st.MPI_SOURCE == left, "tag %d", st.MPI_TAG);
  if (k % 4 != 3) SAME(in, small, left, 1, k);  // after a truncation the buffer is not defined
}

/// The 200 KB of step k.
static void receive_big(int k) {
  const int from = k % 3 ? right : MPI_ANY_SOURCE;
  int n;
  MPI_Status st;
  MPI_Message m;
  memset(in_big, 0xff, sizeof in_big);
  if (k % 2) {
    OK(MPI_Recv(in_big, big, MPI_INT, from, big_tag(k), stream, &st));
  } else {
    OK(MPI_Mprobe(from, big_tag(k), stream, &m, &st));
    OK(MPI_Mrecv(in_big, big, MPI_INT, &m, MPI_STATUS_IGNORE));
  }
  MPI_Get_count(&st, MPI_INT, &n);
  CHECK(st.MPI_SOURCE == right && n == big, "from %d, %d ints", st.MPI_SOURCE, n);
  SAME(in_big, big, right, 2, k);
}

/// What was sent at step k.
static void receive(int k) {
  const int s = k % slots;
  MPI_Status st;
  receive_small(k);
  receive_big(k);
  if (r_wild[s] == MPI_REQUEST_NULL) OK(MPI_Recv(in_wild[s], small, MPI_INT, MPI_ANY_SOURCE, k, wild, &st));
  else OK(MPI_Wait(&r_wild[s], &st));
  CHECK(st.MPI_SOURCE == speaker(k) && st.MPI_TAG == k, "from %d", st.MPI_SOURCE);
  SAME(in_wild[s], small, speaker(k), 3, k);
  OK(MPI_Wait(&s_small[s], MPI_STATUS_IGNORE));
  OK(MPI_Wait(&s_big[s], MPI_STATUS_IGNORE));
  OK(MPI_Waitall(ranks, s_wild[s], MPI_STATUSES_IGNORE));
}

static MPI_Request orphan;  // a receive for which no message can come: its communicator is freed
static int never;

static void leave_orphan(void) {
  MPI_Comm freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  OK(MPI_Irecv(&never, 1, MPI_INT, left, 0, freed, &orphan));
  OK(MPI_Comm_free(&freed));
}

static void end_orphan(void) {
  int flag;
  MPI_Status st;
  OK(MPI_Test(&orphan, &flag, &st));
  CHECK(!flag, "a message from %d", st.MPI_SOURCE);
  OK(MPI_Cancel(&orphan));
  OK(MPI_Wait(&orphan, &st));
  MPI_Test_cancelled(&st, &flag);
  CHECK(flag, "not cancelled");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &stream);
  MPI_Comm_dup(stream, &wild);
  MPI_Type_vector(small, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  leave_orphan();
  for (int s = 0; s < slots; ++s) {
    s_small[s] = s_big[s] = r_wild[s] = MPI_REQUEST_NULL;
    s_wild[s] = malloc((size_t)ranks * sizeof(MPI_Request));
    for (int d = 0; d < ranks; ++d) s_wild[s][d] = MPI_REQUEST_NULL;
  }
  for (int k = 0; k < steps; ++k) {
    send(k);
    if (k >= 3 && k % 3 == 0) {  // some receives are posted early, too
      int p = k - 3;
      OK(MPI_Irecv(in_wild[p % slots], small, MPI_INT, MPI_ANY_SOURCE, p, wild, &r_wild[p % slots]));
    }
    if (k >= lag) receive(k - lag);
    look(k);
    step(k);
  }
  for (int k = steps > lag ? steps - lag : 0; k < steps; ++k) receive(k);
  int flag;
  MPI_Status st;
  MPI_Barrier(MPI_COMM_WORLD);
  OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, stream, &flag, &st));
  CHECK(!flag, "left over: tag %d", st.MPI_TAG);
  end_orphan();
  MPI_Type_free(&column);
  MPI_Comm_free(&wild);
  MPI_Comm_free(&stream);
  return finish();
}
