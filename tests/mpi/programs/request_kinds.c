// Requests of every kind in one array: started together, looked at, completed, cancelled, freed while active, inactive
// over many steps, among null ones; statuses that nobody wants; what may not be done with a request, which must leave
// it as it was.
#include "check.h"

enum { from_send, from_ssend, from_bsend, from_rsend, messages };     // receives of the four modes of sends
enum { sends = messages, others = 2 * messages };                     // then the sends, then what MPI-4.0 has
enum { sum = others, barrier, parts_out, parts_in, all };
enum { ints = 6, most = all };
static int kinds = others;               // MPI-4.0's among them where they work: under mana
static MPI_Comm comm;
static MPI_Request kept[most], idle;                                   // idle: of no step but some
static int out[messages][ints], in[messages][ints], mine, total, block_out[ints], block_in[ints], idle_in;
static int right, left, strict;

/// Mistakes have no defined outcome natively.
#define REFUSED(call, expected) \
  do { if (strict) { const int refused_code = (call); \
    CHECK(class_of(refused_code) == (expected), "%s: class %d", #call, class_of(refused_code)); } } while (0)

static void initialise(void) {
  typedef int init_fn(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  init_fn* const init[messages] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
  for (int m = 0; m < messages; ++m) {
    OK(MPI_Recv_init(in[m], ints, MPI_INT, left, m, comm, &kept[m]));
    OK(init[m](out[m], ints, MPI_INT, right, m, comm, &kept[sends + m]));
  }
  if (kinds == others) return;
#if MPI_VERSION >= 4
  OK(MPI_Allreduce_init(&mine, &total, 1, MPI_INT, MPI_BXOR, comm, MPI_INFO_NULL, &kept[sum]));
  OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &kept[barrier]));
  OK(MPI_Psend_init(block_out, 3, ints / 3, MPI_INT, right, 9, comm, MPI_INFO_NULL, &kept[parts_out]));
  OK(MPI_Precv_init(block_in, 2, ints / 2, MPI_INT, left, 9, comm, MPI_INFO_NULL, &kept[parts_in]));
#endif
}

static int is_empty(const MPI_Status* st) {
  int n = -1, cancelled = 1;
  MPI_Get_count(st, MPI_INT, &n);
  MPI_Test_cancelled(st, &cancelled);
  return st->MPI_SOURCE == MPI_ANY_SOURCE && st->MPI_TAG == MPI_ANY_TAG && n == 0 && !cancelled;
}

/// Inactive ones, and null ones: there is nothing to wait for.
static void at_rest(void) {
  MPI_Request r[most + 2], null = MPI_REQUEST_NULL;
  MPI_Status st[most + 2];
  int flag, index, n, found[most + 2];
  for (int i = 0; i < kinds; ++i) {
    flag = 0, memset(&st[0], 0x77, sizeof st[0]);
    OK(MPI_Request_get_status(kept[i], &flag, &st[0]));
    CHECK(flag && is_empty(&st[0]), "request %d", i);
    flag = 0, memset(&st[0], 0x77, sizeof st[0]);
    OK(MPI_Test(&kept[i], &flag, &st[0]));
    CHECK(flag && is_empty(&st[0]) && kept[i] != MPI_REQUEST_NULL, "request %d", i);
    memset(&st[0], 0x77, sizeof st[0]);
    OK(MPI_Wait(&kept[i], &st[0]));
    CHECK(is_empty(&st[0]) && kept[i] != MPI_REQUEST_NULL, "request %d", i);
  }
  flag = 0, memset(&st[0], 0x77, sizeof st[0]);
  OK(MPI_Request_get_status(null, &flag, &st[0]));
  CHECK(flag && is_empty(&st[0]), "null");
  OK(MPI_Request_get_status(null, &flag, MPI_STATUS_IGNORE));
  r[0] = r[kinds + 1] = MPI_REQUEST_NULL;
  for (int i = 0; i < kinds; ++i) r[i + 1] = kept[i];
  OK(MPI_Waitany(kinds + 2, r, &index, &st[0]));
  CHECK(index == MPI_UNDEFINED && is_empty(&st[0]), "%d", index);
  OK(MPI_Testany(kinds + 2, r, &index, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && index == MPI_UNDEFINED, "%d", index);
  OK(MPI_Waitsome(kinds + 2, r, &n, found, st));
  CHECK(n == MPI_UNDEFINED, "%d", n);
  OK(MPI_Testsome(kinds + 2, r, &n, found, MPI_STATUSES_IGNORE));
  CHECK(n == MPI_UNDEFINED, "%d", n);
  memset(st, 0x77, sizeof st);
  OK(MPI_Waitall(kinds + 2, r, st));
  for (int i = 0; i < kinds + 2; ++i) CHECK(is_empty(&st[i]), "%d", i);
  flag = 0, memset(st, 0x77, sizeof st);
  OK(MPI_Testall(kinds + 2, r, &flag, st));
  CHECK(flag);
  for (int i = 0; i < kinds + 2; ++i) CHECK(is_empty(&st[i]), "%d", i);
  OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag);
  OK(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE));
  CHECK(index == MPI_UNDEFINED, "%d", index);
  OK(MPI_Startall(0, kept));
}

/// What may not be done with these. None of them is the worse for it.
static void forbidden(void) {
  MPI_Request null = MPI_REQUEST_NULL, r;
  int value = 0;
  REFUSED(MPI_Startall(-1, kept), MPI_ERR_COUNT);
  REFUSED(MPI_Waitall(-1, kept, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
  REFUSED(MPI_Start(&null), MPI_ERR_REQUEST);
  REFUSED(MPI_Cancel(&null), MPI_ERR_REQUEST);
  REFUSED(MPI_Request_free(&null), MPI_ERR_REQUEST);
  OK(MPI_Iallreduce(&mine, &value, 1, MPI_INT, MPI_BXOR, comm, &r));
  REFUSED(MPI_Cancel(&r), MPI_ERR_REQUEST);
  REFUSED(MPI_Start(&r), MPI_ERR_REQUEST);
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  CHECK(r == MPI_REQUEST_NULL);
  OK(MPI_Irecv(&value, 1, MPI_INT, left, 50, comm, &r));
  REFUSED(MPI_Start(&r), MPI_ERR_REQUEST);
  OK(MPI_Send(&mine, 1, MPI_INT, right, 50, comm));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

static void active_forbidden(void) {
  for (int i = 0; i < kinds; ++i) REFUSED(MPI_Start(&kept[i]), MPI_ERR_REQUEST);
  for (int i = others; i < kinds; ++i) {
    REFUSED(MPI_Cancel(&kept[i]), MPI_ERR_REQUEST);
    REFUSED(MPI_Request_free(&kept[i]), MPI_ERR_REQUEST);
  }
}

static void some_time(int k) {
  static volatile double x;
  for (int i = 0; i < 2000 * ((k + me) % 3); ++i) x = x * 0.5 + i;
  const struct timespec pause = {0, pause_ms * 500000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

static void status_is(const MPI_Status* st, int i) {
  int n = -1;
  if (i >= sends && i != parts_in) return;
  MPI_Get_count(st, MPI_INT, &n);
  CHECK(n == ints && st->MPI_SOURCE == left && st->MPI_TAG == (i == parts_in ? 9 : i),
        "request %d: %d of %d, tag %d", i, n, st->MPI_SOURCE, st->MPI_TAG);
}

/// Until all have completed, with nulls between them, statuses or without.
static void complete(int k) {
  MPI_Request r[2 * most];
  MPI_Status st[2 * most];
  int flag = 0, index = -1, n = 0, found[2 * most], done = 0;
  const int with = k % 2;
  for (int i = 0; i < kinds; ++i) r[2 * i] = MPI_REQUEST_NULL, r[2 * i + 1] = kept[i];
  switch (k % 6) {
    case 0:
    case 1:
      OK(MPI_Waitall(2 * kinds, r, with ? st : MPI_STATUSES_IGNORE));
      for (int i = 0; i < kinds && with; ++i) status_is(&st[2 * i + 1], i);
      break;
    case 2:
      for (; done < kinds; ++done) {
        OK(MPI_Waitany(2 * kinds, r, &index, done % 2 ? &st[0] : MPI_STATUS_IGNORE));
        CHECK(index >= 0 && index % 2 == 1, "%d", index);
        if (done % 2) status_is(&st[0], index / 2);
      }
      break;
    case 3:
      for (int i = 0; i < kinds; ++i) {           // looked at twice before
        for (flag = 0; !flag;) OK(MPI_Request_get_status(kept[i], &flag, i % 2 ? &st[0] : MPI_STATUS_IGNORE));
        if (i % 2) status_is(&st[0], i);
        OK(MPI_Request_get_status(kept[i], &flag, &st[1]));
        CHECK(flag);
        status_is(&st[1], i);
        OK(MPI_Test(&r[2 * i + 1], &flag, &st[2]));
        CHECK(flag);
        status_is(&st[2], i);
      }
      break;
    case 4:
      for (; done < kinds; done += n) {
        OK(MPI_Waitsome(2 * kinds, r, &n, found, done % 2 ? st : MPI_STATUSES_IGNORE));
        for (int i = 0; i < n && done % 2; ++i) status_is(&st[i], found[i] / 2);
      }
      break;
    default:
      while (!flag) OK(MPI_Testall(2 * kinds, r, &flag, MPI_STATUSES_IGNORE));
  }
  for (int i = 0; i < kinds; ++i) CHECK(r[2 * i] == MPI_REQUEST_NULL && r[2 * i + 1] == kept[i], "%d", i);
}

static void together(int k) {
  MPI_Request rest[most];
  int n = 0, want = 0;
  for (int m = 0; m < messages; ++m) {
    fill(out[m], ints, me, m, k);
    memset(in[m], 0xff, sizeof in[m]);
  }
  mine = val(me, 20, k, 0), total = -1;
  fill(block_out, ints, me, 21, k);
  memset(block_in, 0xff, sizeof block_in);
  OK(MPI_Start(&kept[from_rsend]));
  MPI_Barrier(comm);                     // a ready send needs its receive
  for (int i = 0; i < kinds; ++i)
    if ((i + k + me) % kinds != from_rsend) rest[n++] = kept[(i + k + me) % kinds];
  OK(MPI_Startall(n, rest));
  some_time(k);
  if (k % 5 == 0) active_forbidden();
#if MPI_VERSION >= 4
  if (kinds == all) OK(MPI_Pready_range(0, 2, kept[parts_out]));
#endif
  some_time(k + 1);
  complete(k);
  for (int m = 0; m < messages; ++m) SAME(in[m], ints, left, m, k);
  if (kinds == others) return;
  for (int r = 0; r < ranks; ++r) want ^= val(r, 20, k, 0);
  CHECK(total == want, "%d not %d", total, want);      // not for the checksum: natively there are none
  CHECK(same(block_in, ints, left, 21, k));
}

/// A persistent receive that gets nothing, and gets something the next time.
static void cancelled(int k) {
  MPI_Status st;
  int flag = 0, value = val(me, 30, k, 0), was_sent = 0, note = -1, lost = -1;
  if (k % 3 == 0) {
    OK(MPI_Start(&idle));
    some_time(k);
    OK(MPI_Cancel(&idle));
    OK(MPI_Wait(&idle, &st));
    OK(MPI_Test_cancelled(&st, &flag));
    CHECK(flag && idle != MPI_REQUEST_NULL);
    MPI_Barrier(comm);                   // before, nothing is sent that it could meet
    OK(MPI_Start(&idle));
    OK(MPI_Send(&value, 1, MPI_INT, right, 60, comm));
    OK(MPI_Wait(&idle, &st));
    OK(MPI_Test_cancelled(&st, &flag));
    CHECK(!flag && idle_in == val(left, 30, k, 0), "%d", idle_in);
    got_int(idle_in);
  }
  // A send: it was cancelled, or it arrives.
  MPI_Request r;
  OK(MPI_Isend(&value, 1, MPI_INT, right, 61, comm, &r));
  OK(MPI_Cancel(&r));
  OK(MPI_Wait(&r, &st));
  OK(MPI_Test_cancelled(&st, &flag));
  was_sent = !flag;
  OK(MPI_Sendrecv(&was_sent, 1, MPI_INT, right, 62, &note, 1, MPI_INT, left, 62, comm, MPI_STATUS_IGNORE));
  if (note) OK(MPI_Recv(&lost, 1, MPI_INT, left, 61, comm, MPI_STATUS_IGNORE));
  CHECK(!note || lost == val(left, 30, k, 0), "%d", lost);
}

/// Let go of while they are active: messages come and go all the same.
static void freed(int k) {
  static int sent[3], received[3];             // they may be used until the barrier at the end
  MPI_Request r[3], s[3];
  int last = -1, over = val(me, 44, k, 0);
  for (int i = 0; i < 3; ++i) sent[i] = val(me, 40 + i, k, 0), received[i] = -1;
  OK(MPI_Irecv(&received[0], 1, MPI_INT, left, 70, comm, &r[0]));
  OK(MPI_Recv_init(&received[1], 1, MPI_INT, left, 70, comm, &r[1]));
  OK(MPI_Recv_init(&received[2], 1, MPI_INT, left, 71, comm, &r[2]));
  OK(MPI_Startall(2, &r[1]));
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Request_free(&r[i]));
    CHECK(r[i] == MPI_REQUEST_NULL);
  }
  some_time(k);
  OK(MPI_Isend(&sent[0], 1, MPI_INT, right, 70, comm, &s[0]));
  OK(MPI_Send_init(&sent[1], 1, MPI_INT, right, 70, comm, &s[1]));
  OK(MPI_Ssend_init(&sent[2], 1, MPI_INT, right, 71, comm, &s[2]));
  OK(MPI_Startall(2, &s[1]));
  for (int i = 0; i < 3; ++i) OK(MPI_Request_free(&s[i]));
  some_time(k + 1);
  // Messages do not overtake each other: the one after them finds theirs received.
  OK(MPI_Sendrecv(&over, 1, MPI_INT, right, 70, &last, 1, MPI_INT, left, 70, comm, MPI_STATUS_IGNORE));
  CHECK(last == val(left, 44, k, 0), "%d", last);
  OK(MPI_Sendrecv(&over, 1, MPI_INT, right, 71, &last, 1, MPI_INT, left, 71, comm, MPI_STATUS_IGNORE));
  MPI_Barrier(comm);
  for (int i = 0; i < 3; ++i) CHECK(received[i] == val(left, 40 + i, k, 0), "[%d]: %d", i, received[i]);
  got(received, sizeof received);
}

/// Everything that has a status, without one.
static void ignored(int k) {
  MPI_Request r[2];
  MPI_Message message;
  int v = val(me, 50, k, 0), w = -1, flag = 0, index, n, found[2];
#define TAKEN do { CHECK(w == val(left, 50, k, 0), "%d", w); w = -1; } while (0)
  for (int way = k % 2; way < 8; way += 2) {
    OK(MPI_Isend(&v, 1, MPI_INT, right, 80, comm, &r[1]));
    r[0] = MPI_REQUEST_NULL;
    if (way >= 4) OK(MPI_Irecv(&w, 1, MPI_INT, left, 80, comm, &r[0]));
    switch (way) {
      case 0: OK(MPI_Recv(&w, 1, MPI_INT, left, 80, comm, MPI_STATUS_IGNORE)); break;
      case 1:
        OK(MPI_Probe(left, 80, comm, MPI_STATUS_IGNORE));
        for (flag = 0; !flag;) OK(MPI_Iprobe(left, 80, comm, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Mprobe(left, 80, comm, &message, MPI_STATUS_IGNORE));
        OK(MPI_Mrecv(&w, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
        break;
      case 2:
        for (flag = 0; !flag;) OK(MPI_Improbe(left, 80, comm, &flag, &message, MPI_STATUS_IGNORE));
        OK(MPI_Imrecv(&w, 1, MPI_INT, &message, &r[0]));
        OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
        break;
      case 3: OK(MPI_Recv(&w, 1, MPI_INT, MPI_ANY_SOURCE, 80, comm, MPI_STATUS_IGNORE)); break;
      case 4: while (r[0] != MPI_REQUEST_NULL) OK(MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE)); break;
      case 5: while (r[0] != MPI_REQUEST_NULL) OK(MPI_Testsome(1, r, &n, found, MPI_STATUSES_IGNORE)); break;
      case 6: OK(MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE)); break;
      default: OK(MPI_Waitsome(1, r, &n, found, MPI_STATUSES_IGNORE));
    }
    TAKEN;
    OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
  }
  OK(MPI_Recv(&w, 1, MPI_INT, MPI_PROC_NULL, 80, comm, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, size = 0;
  MPI_Get_library_version(version, &length);
  strict = strstr(version, "MANA") != NULL;
  if (MPI_VERSION >= 4 && strict) kinds = all;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);      // of requests that have no communicator
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  void *buffer = malloc(20 * (MPI_BSEND_OVERHEAD + 100)), *back;
  OK(MPI_Buffer_attach(buffer, 20 * (MPI_BSEND_OVERHEAD + 100)));
  initialise();
  OK(MPI_Recv_init(&idle_in, 1, MPI_INT, left, 60, comm, &idle));
  for (int k = 0; k < steps; ++k) {
    at_rest();
    forbidden();
    together(k);
    cancelled(k);
    if (ranks > 1 || strict) freed(k);     // MPICH loses messages to oneself where a persistent receive was freed
    ignored(k);
    step(k);
  }
  for (int i = 0; i < kinds; ++i) OK(MPI_Request_free(&kept[i]));
  OK(MPI_Request_free(&idle));
  OK(MPI_Buffer_detach(&back, &size));
  free(buffer);
  MPI_Comm_free(&comm);
  return finish();
}
