// Point to point: every way to complete, cancel and free a request.
#include "check.h"

enum { many = 6, big = 20000 };  // messages of a batch; ints of its last one: rendezvous
static MPI_Comm comm;
static int right, left;
static int out[many][big], in[many][big];
static MPI_Request receives[many], sends[many];

static int length(int k, int i) { return i == many - 1 ? big : 1 + val(i, 0, k, 0) % 500; }

static void status_ok(const MPI_Status* st, int k, int i) {
  int n;
  MPI_Get_count(st, MPI_INT, &n);
  CHECK(i >= 0 && i < many && st->MPI_SOURCE == left && st->MPI_TAG == i && n == length(k, i),
        "index %d source %d tag %d count %d", i, st->MPI_SOURCE, st->MPI_TAG, n);
}

static void batch(int k, int how) {
  MPI_Status st[many], one;
  int idx[many], n, flag, done = 0, i;
  for (i = 0; i < many; ++i) {
    memset(in[i], 0xff, sizeof in[i]);
    OK(MPI_Irecv(in[i], big, MPI_INT, left, i, comm, &receives[i]));
  }
  for (i = many - 1; i >= 0; i--) {  // the tags, not the order, match them
    fill(out[i], length(k, i), me, i, k);
    OK(MPI_Isend(out[i], length(k, i), MPI_INT, right, i, comm, &sends[i]));
  }
  while (done < many) {
    switch (how) {
      case 0:
        OK(MPI_Waitany(many, receives, &i, &one));
        status_ok(&one, k, i);
        ++done;
        break;
      case 1:
        OK(MPI_Waitsome(many, receives, &n, idx, st));
        CHECK(n >= 1 && n <= many - done, "%d", n);
        for (i = 0; i < n; ++i) status_ok(&st[i], k, idx[i]);
        done += n;
        break;
      case 2:
        OK(MPI_Testall(many, receives, &flag, st));
        for (i = 0; flag && i < many; ++i) status_ok(&st[i], k, i);
        done = flag ? many : 0;
        break;
      case 3:
        OK(MPI_Testany(many, receives, &i, &flag, &one));
        if (flag) {
          status_ok(&one, k, i);
          ++done;
        }
        break;
      case 4:
        OK(MPI_Testsome(many, receives, &n, idx, st));
        for (i = 0; i < n; ++i) status_ok(&st[i], k, idx[i]);
        done += n;
        break;
      case 5:
        i = done++;
        do OK(MPI_Test(&receives[i], &flag, &one));
        while (!flag);
        status_ok(&one, k, i);
        break;
      case 6:  // looked at without being completed
        i = done++;
        do OK(MPI_Request_get_status(receives[i], &flag, &one));
        while (!flag);
        CHECK(receives[i] != MPI_REQUEST_NULL, "completed by a look");
        status_ok(&one, k, i);
        OK(MPI_Wait(&receives[i], &one));
        status_ok(&one, k, i);
        break;
      default:
        OK(MPI_Waitall(many, receives, st));
        for (i = 0; i < many; ++i) status_ok(&st[i], k, i);
        done = many;
    }
  }
  OK(MPI_Waitall(many, sends, MPI_STATUSES_IGNORE));
  for (i = 0; i < many; ++i) {
    CHECK(receives[i] == MPI_REQUEST_NULL && sends[i] == MPI_REQUEST_NULL, "request %d", i);
    SAME(in[i], length(k, i), left, i, k);
    CHECK(length(k, i) == big || in[i][length(k, i)] == -1, "written past the end");
  }
}

/// All null: complete at once, nothing done.
static void null_requests(void) {
  MPI_Status st, all[many];
  int i, n, flag, idx[many];
  OK(MPI_Waitany(many, receives, &i, &st));
  CHECK(i == MPI_UNDEFINED, "%d", i);
  OK(MPI_Testany(many, receives, &i, &flag, &st));
  CHECK(flag && i == MPI_UNDEFINED, "%d", i);
  OK(MPI_Waitsome(many, receives, &n, idx, all));
  CHECK(n == MPI_UNDEFINED, "%d", n);
  OK(MPI_Testall(many, receives, &flag, all));
  CHECK(flag, "testall");
  OK(MPI_Wait(&receives[0], &st));
  CHECK(st.MPI_SOURCE == MPI_ANY_SOURCE && st.MPI_TAG == MPI_ANY_TAG, "not empty");
}

static void cancel_and_free(int k) {
  int a[10], b[10], flag;
  MPI_Request r;
  MPI_Status st;
  OK(MPI_Irecv(a, 10, MPI_INT, left, 77, comm, &r));
  OK(MPI_Test(&r, &flag, &st));
  CHECK(!flag && r != MPI_REQUEST_NULL, "a message nobody sent");
  OK(MPI_Cancel(&r));
  OK(MPI_Wait(&r, &st));
  OK(MPI_Test_cancelled(&st, &flag));
  CHECK(flag && r == MPI_REQUEST_NULL, "not cancelled");
  fill(a, 10, me, 78, k);  // a freed send still arrives
  OK(MPI_Isend(a, 10, MPI_INT, right, 78, comm, &r));
  OK(MPI_Request_free(&r));
  CHECK(r == MPI_REQUEST_NULL, "not freed");
  OK(MPI_Recv(b, 10, MPI_INT, left, 78, comm, &st));
  SAME(b, 10, left, 78, k);
  OK(MPI_Barrier(comm));  // a is read no more
}

/// Requests that are null or inactive have the empty status. Its MPI_ERROR is not looked at: the MPIs leave that alone.
static void empty_statuses(void) {
  MPI_Request null = MPI_REQUEST_NULL, inactive[2];
  MPI_Status s[2];
  int x = 0, flag;
  OK(MPI_Send_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &inactive[0]));
  OK(MPI_Recv_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &inactive[1]));
  for (int which = 0; which < 4; ++which) {
    s[0].MPI_SOURCE = s[0].MPI_TAG = 77;
    if (which == 0) OK(MPI_Wait(&null, s));
    else if (which == 1) OK(MPI_Test(&inactive[0], &flag, s));
    else if (which == 2) OK(MPI_Request_get_status(null, &flag, s));
    else OK(MPI_Waitall(2, inactive, s));
    CHECK(s->MPI_SOURCE == MPI_ANY_SOURCE && s->MPI_TAG == MPI_ANY_TAG, "call %d: %d, %d", which, s->MPI_SOURCE,
          s->MPI_TAG);
  }
  OK(MPI_Startall(2, inactive));
  s[0].MPI_ERROR = s[1].MPI_ERROR = 77;
  OK(MPI_Waitall(2, inactive, s));
  CHECK(s[0].MPI_ERROR == MPI_SUCCESS && s[1].MPI_ERROR == MPI_SUCCESS, "%d, %d", s[0].MPI_ERROR, s[1].MPI_ERROR);
  for (int i = 0; i < 2; ++i) OK(MPI_Request_free(&inactive[i]));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  for (int k = 0; k < steps; ++k) {
    batch(k, k % 8);
    null_requests();
    empty_statuses();
    cancel_and_free(k);
    step(k);
  }
  MPI_Comm_free(&comm);
  return finish();
}
