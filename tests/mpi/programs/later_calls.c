// What MPI 4.1 and 5.0 added, over many steps: buffers of communicators and a session with their flushes, requests that are looked
// at, fields of statuses, pairs of values and indices, codes that are removed, handles as numbers, the ABI's facts.
#include "check.h"

enum { ints = 64, messages = 3 };
static int out[messages][ints], in[messages][ints];
static int right, left;
static MPI_Comm own, of_session;
static MPI_Session session;
static char buffer[messages * (ints * sizeof(int) + MPI_BSEND_OVERHEAD)], other[sizeof buffer];

static void receive(MPI_Comm comm, int k) {
  MPI_Request r[messages];
  MPI_Status st[messages];
  int flag = 0, index = -1, n = 0, found[messages], value = 0;
  for (int m = 0; m < messages; ++m) OK(MPI_Irecv(in[m], ints, MPI_INT, left, m, comm, &r[m]));
  while (!flag) OK(MPI_Request_get_status_any(messages, r, &index, &flag, &st[0]));
  OK(MPI_Status_get_tag(&st[0], &value));
  CHECK(value == index, "%d of %d", value, index);
  OK(MPI_Request_get_status_some(messages, r, &n, found, st));
  CHECK(n >= 1, "%d", n);
  for (flag = 0; !flag;) OK(MPI_Request_get_status_all(messages, r, &flag, st));
  for (int m = 0; m < messages; ++m) {
    OK(MPI_Status_get_source(&st[m], &value));
    CHECK(value == left, "%d", value);
    OK(MPI_Status_get_error(&st[m], &value));
    CHECK(value == MPI_SUCCESS, "%d", value);
    CHECK(r[m] != MPI_REQUEST_NULL);
  }
  OK(MPI_Waitall(messages, r, MPI_STATUSES_IGNORE));
  for (int m = 0; m < messages; ++m) SAME(in[m], ints, left, m, k);
}

static void send(MPI_Comm comm, int k) {
  for (int m = 0; m < messages; ++m) {
    fill(out[m], ints, me, m, k);
    OK(MPI_Bsend(out[m], ints, MPI_INT, right, m, comm));
    memset(out[m], 0xff, sizeof out[m]);
  }
}

static void buffers(int k) {
  MPI_Request flush;
  send(own, k);
  OK(MPI_Comm_iflush_buffer(own, &flush));
  receive(own, k);
  OK(MPI_Wait(&flush, MPI_STATUS_IGNORE));
  send(of_session, k);
  receive(of_session, k);
  OK(MPI_Session_flush_buffer(session));
  OK(MPI_Buffer_flush());
}

static void pairs(int k) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  struct { double value; int index; } mine = {(double)((me + k) % ranks), me}, most = {0, 0};
  OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
  CHECK(pair == MPI_DOUBLE_INT);
  OK(MPI_Allreduce(&mine, &most, 1, pair, MPI_MAXLOC, MPI_Comm_fromint(MPI_Comm_toint(own))));
  CHECK((most.index + k) % ranks == ranks - 1, "%d", most.index);
  got_int(most.index);
}

static void codes(void) {
  int error_class = 0, code = 0;
  MPI_Status st;
  OK(MPI_Add_error_class(&error_class));
  OK(MPI_Add_error_code(error_class, &code));
  OK(MPI_Status_set_error(&st, code));
  OK(MPI_Status_set_source(&st, right));
  OK(MPI_Status_set_tag(&st, 9));
  CHECK(st.MPI_ERROR == code && st.MPI_SOURCE == right && st.MPI_TAG == 9);
  OK(MPI_Remove_error_code(code));
  OK(MPI_Remove_error_class(error_class));
}

static void facts(void) {
  int major = 0, minor = 0, flag = 0;
  char value[MPI_MAX_INFO_VAL + 1];
  MPI_Info info;
  OK(MPI_Abi_get_version(&major, &minor));
  OK(MPI_Abi_get_info(&info));
  OK(MPI_Info_get(info, "mpi_aint_size", MPI_MAX_INFO_VAL, value, &flag));
  CHECK(flag && atoi(value) == (int)sizeof(MPI_Aint));
  OK(MPI_Info_free(&info));
  OK(MPI_Get_hw_resource_info(&info));
  OK(MPI_Info_free(&info));
  CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
  CHECK(MPI_Session_fromint(MPI_Session_toint(session)) == session);
}

int main(int argc, char** argv) {
  MPI_Group all;
  void* back = NULL;
  int size = 0;
  begin(&argc, &argv);
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &own));
  OK(MPI_Comm_attach_buffer(own, buffer, sizeof buffer));
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
  OK(MPI_Comm_create_from_group(all, "later calls", MPI_INFO_NULL, MPI_ERRORS_RETURN, &of_session));
  OK(MPI_Session_attach_buffer(session, other, sizeof other));
  for (int k = 0; k < steps; ++k) {
    buffers(k);
    pairs(k);
    codes();
    facts();
    step(k);
  }
  OK(MPI_Comm_detach_buffer(own, &back, &size));
  CHECK(back == buffer && size == (int)sizeof buffer);
  OK(MPI_Session_detach_buffer(session, &back, &size));
  CHECK(back == other && size == (int)sizeof other);
  OK(MPI_Comm_free(&own));
  OK(MPI_Comm_free(&of_session));
  OK(MPI_Group_free(&all));
  OK(MPI_Session_finalize(&session));
  return finish();
}
