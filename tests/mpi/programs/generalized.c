// Generalized requests: callbacks and their order, errors, cancelling, freeing before and after completion, mixtures
// with messages and collectives; a thread that completes them while another waits, if MPI provides MPI_THREAD_MULTIPLE.
#include "check.h"

/// Set under mana, which does what the standard says where these differ: MPICH 4.0 calls free_fn in MPI_Request_free of
/// an operation that goes on, and its MPI_Testall loses the codes of callbacks; Open MPI 4.1 those of free_fn.
static int strict;

/// One operation of the program. Callbacks write down that they were called, in order.
typedef struct {
  int elements, source, tag, cancelled;  // what its status says
  int query_code, free_code, cancel_code;
  char called[16];
} operation;

static void note(operation* o, char what) {
  const size_t n = strlen(o->called);
  if (n + 1 < sizeof o->called) o->called[n] = what, o->called[n + 1] = 0;
}

static int on_query(void* extra, MPI_Status* status) {
  operation* o = extra;
  note(o, 'q');
  int initialized = 0;
  MPI_Initialized(&initialized);  // callbacks may call MPI
  CHECK(initialized);
  MPI_Status_set_elements(status, MPI_INT, o->elements);
  MPI_Status_set_cancelled(status, o->cancelled);
  status->MPI_SOURCE = o->source;
  status->MPI_TAG = o->tag;
  return o->query_code;
}

static int on_free(void* extra) {
  operation* o = extra;
  note(o, 'f');
  return o->free_code;
}

static int on_cancel(void* extra, int complete) {
  operation* o = extra;
  note(o, complete ? 'C' : 'c');
  if (!complete) o->cancelled = 1;
  return o->cancel_code;
}

static MPI_Request begin_operation(operation* o) {
  MPI_Request made = MPI_REQUEST_NULL;
  OK(MPI_Grequest_start(on_query, on_free, on_cancel, o, &made));
  CHECK(made != MPI_REQUEST_NULL);
  return made;
}

#define CALLED(o, what) CHECK(strcmp((o).called, what) == 0, "called %s", (o).called)

static void status_is(const MPI_Status* st, const operation* o) {
  int count = -1, cancelled = -1;
  MPI_Get_count(st, MPI_INT, &count);
  MPI_Test_cancelled(st, &cancelled);
  CHECK(count == o->elements && cancelled == o->cancelled, "%d elements, cancelled %d", count, cancelled);
  CHECK(st->MPI_SOURCE == o->source && st->MPI_TAG == o->tag, "source %d, tag %d", st->MPI_SOURCE, st->MPI_TAG);
  got_int(count);
}

static void one(int k) {
  operation o = {.elements = k % 50, .source = me, .tag = 7};
  MPI_Status st;
  int flag = 1;
  MPI_Request r = begin_operation(&o);
  OK(MPI_Test(&r, &flag, &st));
  CHECK(!flag && r != MPI_REQUEST_NULL);
  OK(MPI_Request_get_status(r, &flag, &st));
  CHECK(!flag);
  CALLED(o, "");
  OK(MPI_Grequest_complete(r));
  CALLED(o, "");
  OK(MPI_Request_get_status(r, &flag, &st));
  CHECK(flag);
  status_is(&st, &o);
  CALLED(o, "q");
  st.MPI_ERROR = 77;
  OK(MPI_Wait(&r, &st));
  CHECK(r == MPI_REQUEST_NULL && st.MPI_ERROR == 77);
  status_is(&st, &o);
  CALLED(o, "qqf");

  operation ignored = {.elements = 3};
  r = begin_operation(&ignored);
  OK(MPI_Grequest_complete(r));
  OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && r == MPI_REQUEST_NULL);
  CALLED(ignored, "qf");  // also where nobody reads the status
}

static void freed(void) {
  operation late = {0}, early = {0};
  MPI_Request r = begin_operation(&late), copy = r;
  OK(MPI_Request_free(&r));
  CHECK(r == MPI_REQUEST_NULL);
  if (strict) CALLED(late, "");
  OK(MPI_Grequest_complete(copy));
  CALLED(late, "f");
  r = begin_operation(&early);
  OK(MPI_Grequest_complete(r));
  OK(MPI_Request_free(&r));
  CHECK(r == MPI_REQUEST_NULL);
  CALLED(early, "f");
}

static void cancelled(void) {
  operation o = {.elements = 0}, done = {.elements = 5}, refuses = {.cancel_code = MPI_ERR_OTHER};
  MPI_Status st;
  MPI_Request r = begin_operation(&o);
  OK(MPI_Cancel(&r));
  CALLED(o, "c");
  OK(MPI_Grequest_complete(r));
  OK(MPI_Wait(&r, &st));
  status_is(&st, &o);
  CALLED(o, "cqf");
  r = begin_operation(&done);
  OK(MPI_Grequest_complete(r));
  OK(MPI_Cancel(&r));
  OK(MPI_Wait(&r, &st));
  status_is(&st, &done);
  CALLED(done, "Cqf");
  r = begin_operation(&refuses);
  CHECK(class_of(MPI_Cancel(&r)) == MPI_ERR_OTHER);
  OK(MPI_Grequest_complete(r));
  OK(MPI_Wait(&r, &st));
}

/// Codes of callbacks come out of the call that called them; MPI_COMM_WORLD has MPI_ERRORS_RETURN.
static void errors(int own_code) {
  operation q = {.query_code = MPI_ERR_COUNT, .free_code = MPI_ERR_COUNT}, f = {.free_code = own_code}, good = {0};
  MPI_Status st[2];
  int index = -1, flag = 0, error_class = 0, own_class = 0;
  MPI_Request r = begin_operation(&f), all[2];
  OK(MPI_Grequest_complete(r));
  const int code = MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Error_class(code, &error_class);
  MPI_Error_class(own_code, &own_class);
  CHECK(code == own_code && error_class == own_class, "code %d not %d", code, own_code);
  r = begin_operation(&q);
  OK(MPI_Grequest_complete(r));
  CHECK(class_of(MPI_Waitany(1, &r, &index, MPI_STATUS_IGNORE)) == MPI_ERR_COUNT && index == 0);
  all[0] = begin_operation(&good);
  all[1] = begin_operation(&f);
  OK(MPI_Grequest_complete(all[0]));
  OK(MPI_Grequest_complete(all[1]));
  CHECK(class_of(MPI_Testall(2, all, &flag, st)) == MPI_ERR_IN_STATUS && flag);
  CHECK(st[0].MPI_ERROR == MPI_SUCCESS && st[1].MPI_ERROR == own_code, "%d, %d", st[0].MPI_ERROR, st[1].MPI_ERROR);
  CALLED(f, "qfqf");
}

/// With messages and a collective in one array.
static void mixtures(int k) {
  enum { n = 4 };
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  int out[20], in[20], sum = 0, index = -1, count = 0, indices[n], seen = 0;
  operation o = {.elements = 9, .source = me, .tag = 2};
  MPI_Request r[n];
  MPI_Status st[n];
  fill(out, 20, me, 1, k);
  r[0] = begin_operation(&o);
  OK(MPI_Irecv(in, 20, MPI_INT, left, 3, MPI_COMM_WORLD, &r[1]));
  OK(MPI_Isend(out, 20, MPI_INT, right, 3, MPI_COMM_WORLD, &r[2]));
  OK(MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[3]));
  OK(MPI_Grequest_complete(r[0]));
  OK(MPI_Waitall(n, r, st));
  SAME(in, 20, left, 1, k);
  status_is(&st[0], &o);
  CALLED(o, "qf");
  CHECK(sum == ranks * (ranks - 1) / 2);

  operation later = {.elements = 4, .source = me, .tag = 1};
  r[0] = begin_operation(&later);                       // complete only when the message is in
  OK(MPI_Irecv(in, 20, MPI_INT, left, 4, MPI_COMM_WORLD, &r[1]));
  OK(MPI_Isend(out, 20, MPI_INT, right, 4, MPI_COMM_WORLD, &r[2]));
  r[3] = MPI_REQUEST_NULL;
  while (seen < 2) {
    OK(MPI_Waitsome(n, r, &count, indices, st));
    CHECK(count > 0);
    seen += count;
    for (int i = 0; i < count; ++i) CHECK(indices[i] != 0);
  }
  SAME(in, 20, left, 1, k);
  OK(MPI_Testany(n, r, &index, &count, st));
  CHECK(!count && index == MPI_UNDEFINED);
  OK(MPI_Grequest_complete(r[0]));
  OK(MPI_Waitany(n, r, &index, st));
  CHECK(index == 0);
  status_is(&st[0], &later);
}

// A thread of the program that completes what it is given, some time after.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static MPI_Request given = MPI_REQUEST_NULL;
static int ending, delay_ms;

static void* complete_them(void* unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (given == MPI_REQUEST_NULL && !ending) pthread_cond_wait(&changed, &lock);
    const MPI_Request r = given;
    given = MPI_REQUEST_NULL;
    pthread_mutex_unlock(&lock);
    if (r == MPI_REQUEST_NULL) return NULL;
    const struct timespec pause = {0, delay_ms * 1000000L};
    if (delay_ms > 0) nanosleep(&pause, NULL);
    OK(MPI_Grequest_complete(r));
  }
}

static void give(MPI_Request r) {
  pthread_mutex_lock(&lock);
  given = r;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

/// Waits that only the other thread ends, alone and beside a receive that stays open until then.
static void by_a_thread(int k) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  int in[10], out[10], index = -1;
  operation o = {.elements = 6, .source = me, .tag = k % 100};
  MPI_Status st;
  MPI_Request r[2];
  r[0] = begin_operation(&o);
  give(r[0]);
  OK(MPI_Wait(&r[0], &st));
  status_is(&st, &o);
  CALLED(o, "qf");

  operation beside = {.elements = 2, .source = me, .tag = 3};
  OK(MPI_Irecv(in, 10, MPI_INT, left, 9, MPI_COMM_WORLD, &r[0]));
  r[1] = begin_operation(&beside);
  give(r[1]);
  OK(MPI_Waitany(2, r, &index, &st));   // nothing was sent yet
  CHECK(index == 1);
  status_is(&st, &beside);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  fill(out, 10, me, 2, k);
  OK(MPI_Send(out, 10, MPI_INT, right, 9, MPI_COMM_WORLD));
  OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
  SAME(in, 10, left, 2, k);
}

int main(int argc, char** argv) {
  int multiple = begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE, all, own_class, own_code;
  int length = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(version, &length);
  strict = strstr(version, "MANA") != NULL;
  pthread_t helper;
  MPI_Allreduce(&multiple, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  delay_ms = pause_ms;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Add_error_class(&own_class);
  MPI_Add_error_code(own_class, &own_code);
  if (all) pthread_create(&helper, NULL, complete_them, NULL);
  operation held = {.elements = 11, .source = me, .tag = 5};
  MPI_Request kept = begin_operation(&held);            // lives across all steps
  for (int k = 0; k < steps; ++k) {
    one(k);
    freed();
    cancelled();
    if (strict) errors(own_code);
    mixtures(k);
    if (all) by_a_thread(k);
    CHECK(class_of(MPI_Grequest_complete(MPI_REQUEST_NULL)) != MPI_SUCCESS);
    step(k);
  }
  MPI_Status st;
  CALLED(held, "");
  OK(MPI_Grequest_complete(kept));
  OK(MPI_Wait(&kept, &st));
  status_is(&st, &held);
  CALLED(held, "qf");
  if (all) {
    pthread_mutex_lock(&lock);
    ending = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(helper, NULL);
  }
  return finish();
}
