// Partitioned messages: numbers of partitions that differ, several at once with the same tag, started in another order
// on each side; large ones; next to ordinary messages and wildcards with the same tags; freed and made again.
#include "check.h"

enum { total = 24, most = 4, big = 60000, tag = 7, kinds = 3 };  // ints of a message; messages at once
static const int sent_parts[most] = {4, 24, 1, 6}, got_parts[most] = {6, 3, 8, 1};
static MPI_Comm comm[kinds];
static int right[kinds], left[kinds];
static int out[kinds][most][total], in[kinds][most][total];
static MPI_Request request[kinds * most * 2];
static int *big_out, *big_in;
static MPI_Request large[2], nobody[2];

static MPI_Request* send_of(int c, int i) { return &request[(c * most + i) * 2]; }
static MPI_Request* recv_of(int c, int i) { return &request[(c * most + i) * 2 + 1]; }

/// Half of them with the same tag: they pair in the order of these calls.
static void initialise(int c) {
  for (int i = 0; i < most; ++i) {
    OK(MPI_Psend_init(out[c][i], sent_parts[i], total / sent_parts[i], MPI_INT, right[c], i < 2 ? tag : tag + i,
                      comm[c], MPI_INFO_NULL, send_of(c, i)));
    OK(MPI_Precv_init(in[c][i], got_parts[i], total / got_parts[i], MPI_INT, left[c], i < 2 ? tag : tag + i, comm[c],
                      MPI_INFO_NULL, recv_of(c, i)));
  }
}

static void end(int c) {
  for (int i = 0; i < most; ++i) {
    OK(MPI_Request_free(send_of(c, i)));
    OK(MPI_Request_free(recv_of(c, i)));
    CHECK(*send_of(c, i) == MPI_REQUEST_NULL);
  }
}

static void some_time(int k) {
  static volatile double x;
  for (int i = 0; i < 3000 * ((k + me) % 3); ++i) x = x * 0.5 + i;
  const struct timespec pause = {0, pause_ms * 500000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

/// Partitions of one message, in an order and by functions that change.
static void ready(int c, int i, int k) {
  const int n = sent_parts[i];
  MPI_Request r = *send_of(c, i);
  int others[total], many = 0;
  switch ((i + k) % 3) {
    case 0:
      for (int p = 0; p < n; ++p) {
        OK(MPI_Pready((p + k) % n, r));
        if (p == n / 2) some_time(k);
      }
      break;
    case 1:
      OK(MPI_Pready_range(n / 2, n - 1, r));
      some_time(k);
      if (n / 2 > 0) OK(MPI_Pready_range(0, n / 2 - 1, r));
      break;
    default:
      for (int p = n - 1; p > 0; --p) others[many++] = p;
      if (many > 0) OK(MPI_Pready_list(many, others, r));
      some_time(k);
      OK(MPI_Pready(0, r));
  }
}

static void exchange(int k) {
  MPI_Status st[kinds * most * 2];
  int plain_out[2], plain_in[2], flag = 0;
  MPI_Request plain[2];
  plain_out[0] = val(me, 90, k, 0), plain_out[1] = val(me, 91, k, 0);
  for (int c = 0; c < kinds; ++c)
    for (int i = 0; i < most; ++i) {
      fill(out[c][i], total, me, 10 * c + i, k);
      memset(in[c][i], 0xff, sizeof in[c][i]);
    }
  // Receives in one order, sends in the other.
  const int late = k % 2;
  for (int n = 0; n < kinds * most && !late; ++n) OK(MPI_Start(recv_of(n % kinds, n / kinds)));
  for (int n = kinds * most; n-- > 0;) {
    OK(MPI_Start(send_of(n % kinds, n / kinds)));
    ready(n % kinds, n / kinds, k);
  }
  // A wildcard meets none of these.
  OK(MPI_Irecv(&plain_in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[0], &plain[0]));
  OK(MPI_Isend(&plain_out[0], 1, MPI_INT, right[0], tag, comm[0], &plain[1]));
  if (k % 5 == 0) MPI_Barrier(MPI_COMM_WORLD);  // receives may be started and not paired, sends complete
  for (int n = 0; n < kinds * most && late; ++n) OK(MPI_Start(recv_of(n % kinds, n / kinds)));
  some_time(k + 1);
  OK(MPI_Waitall(2, plain, MPI_STATUSES_IGNORE));
  CHECK(plain_in[0] == val(left[0], 90, k, 0));
  switch (k % 4) {
    case 0: OK(MPI_Waitall(kinds * most * 2, request, st)); break;
    case 1:
      while (!flag) OK(MPI_Testall(kinds * most * 2, request, &flag, st));
      break;
    default:
      for (int n = 0; n < kinds * most; ++n) {
        const int c = n % kinds, i = n / kinds, last = got_parts[i] - 1;
        if (k % 4 == 3)
          for (flag = 0; !flag;) OK(MPI_Parrived(*recv_of(c, i), (k + i) % (last + 1), &flag));
        OK(MPI_Wait(recv_of(c, i), &st[(c * most + i) * 2 + 1]));
        OK(MPI_Wait(send_of(c, i), MPI_STATUS_IGNORE));
      }
  }
  for (int c = 0; c < kinds; ++c)
    for (int i = 0; i < most; ++i) {
      const MPI_Status* const s = &st[(c * most + i) * 2 + 1];
      int n = -1;
      OK(MPI_Get_count(s, MPI_INT, &n));
      CHECK(n == total && s->MPI_SOURCE == left[c] && s->MPI_TAG == (i < 2 ? tag : tag + i), "%d of %d, tag %d", n,
            s->MPI_SOURCE, s->MPI_TAG);
      SAME(in[c][i], total, c == 2 ? ranks - 1 - left[c] : left[c], 10 * c + i, k);
    }
}

/// Too large to be sent before its receive is there.
static void exchange_large(int k) {
  fill(big_out, big, me, 80, k);
  memset(big_in, 0xff, big * sizeof(int));
  OK(MPI_Startall(2, large));
  OK(MPI_Startall(2, nobody));
  OK(MPI_Pready_range(0, 5, large[0]));
  OK(MPI_Pready_range(0, 1, nobody[0]));
  OK(MPI_Wait(&large[0], MPI_STATUS_IGNORE));
  OK(MPI_Wait(&large[1], MPI_STATUS_IGNORE));
  OK(MPI_Waitall(2, nobody, MPI_STATUSES_IGNORE));
  SAME(big_in, big, (me + ranks - 1) % ranks, 80, k);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  big_out = malloc(big * sizeof(int)), big_in = malloc(big * sizeof(int));
  MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm[2]);
  for (int c = 0; c < kinds; ++c) {
    int own;
    MPI_Comm_rank(comm[c], &own);
    right[c] = (own + 1) % ranks, left[c] = (own + ranks - 1) % ranks;
    initialise(c);
  }
  OK(MPI_Psend_init(big_out, 6, big / 6, MPI_INT, (me + 1) % ranks, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &large[0]));
  OK(MPI_Precv_init(big_in, 2, big / 2, MPI_INT, (me + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &large[1]));
  OK(MPI_Psend_init(big_out, 2, 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &nobody[0]));
  OK(MPI_Precv_init(big_in, 2, 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &nobody[1]));
  for (int k = 0; k < steps; ++k) {
    exchange(k);
    exchange_large(k);
    if (k % 3 == 2) {
      end(k / 3 % kinds);
      initialise(k / 3 % kinds);
    }
    step(k);
  }
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Request_free(&large[i]));
    OK(MPI_Request_free(&nobody[i]));
  }
  for (int c = 0; c < kinds; ++c) {
    end(c);
    MPI_Comm_free(&comm[c]);
  }
  free(big_out), free(big_in);
  return finish();
}
