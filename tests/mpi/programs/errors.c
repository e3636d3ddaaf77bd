// Wrong handles and refused functions end in the error class of their kind, through the error handler, and harm
// nothing. The handles are stale (freed), null, or of a value that no MPI gave; stale ones from before a restart are
// among them.
#include "check.h"

static int handled;

#define GIVES(call, expected) CHECK(class_of(call) == (expected))

static void on_error(MPI_Comm* comm, int* code, ...) {
  int length = 0;
  char text[MPI_MAX_ERROR_STRING];
  CHECK(*comm == MPI_COMM_WORLD);
  CHECK(MPI_Error_string(*code, text, &length) == MPI_SUCCESS && length > 0);
  ++handled;
}

typedef struct {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Info info;
  MPI_Errhandler handler;
  MPI_Request request;
  int key;
} handles;

static void add(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/// One of each kind, freed.
static handles stale(void) {
  handles all;
  static int buffer;
  MPI_Comm_dup(MPI_COMM_WORLD, &all.comm);
  MPI_Comm_group(MPI_COMM_WORLD, &all.group);
  MPI_Type_contiguous(3, MPI_INT, &all.type);
  MPI_Op_create(add, 1, &all.op);
  MPI_Info_create(&all.info);
  MPI_Comm_create_errhandler(on_error, &all.handler);
  MPI_Recv_init(&buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &all.request);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &all.key, NULL);
  handles freed = all;
  MPI_Comm_free(&freed.comm);
  MPI_Group_free(&freed.group);
  MPI_Type_free(&freed.type);
  MPI_Op_free(&freed.op);
  MPI_Info_free(&freed.info);
  MPI_Errhandler_free(&freed.handler);
  MPI_Request_free(&freed.request);
  MPI_Comm_free_keyval(&freed.key);
  return all;
}

static void wrong_handles(handles h) {
  int x = 1, y = 0, size = 0, flag = 0;
  void* value;
  MPI_Comm comm = h.comm;
  MPI_Group group;
  GIVES(MPI_Barrier(h.comm), MPI_ERR_COMM);
  GIVES(MPI_Comm_size(h.comm, &size), MPI_ERR_COMM);
  GIVES(MPI_Comm_free(&comm), MPI_ERR_COMM);
  GIVES(MPI_Comm_group(h.comm, &group), MPI_ERR_COMM);
  GIVES(MPI_Send(&x, 1, MPI_INT, 0, 0, h.comm), MPI_ERR_COMM);
  GIVES(MPI_Group_size(h.group, &size), MPI_ERR_GROUP);
  GIVES(MPI_Type_size(h.type, &size), MPI_ERR_TYPE);
  GIVES(MPI_Send(&x, 1, h.type, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  GIVES(MPI_Allreduce(&x, &y, 1, MPI_INT, h.op, MPI_COMM_WORLD), MPI_ERR_OP);
  GIVES(MPI_Info_get_nkeys(h.info, &size), MPI_ERR_INFO);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h.handler) != MPI_SUCCESS);
  GIVES(MPI_Start(&h.request), MPI_ERR_REQUEST);
  GIVES(MPI_Wait(&h.request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  GIVES(MPI_Comm_get_attr(MPI_COMM_WORLD, h.key, &value, &flag), MPI_ERR_KEYVAL);
}

static void null_handles(void) {
  int x = 1, y = 0, size = 0;
  MPI_Datatype none = MPI_DATATYPE_NULL;
  GIVES(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
  GIVES(MPI_Comm_rank(MPI_COMM_NULL, &size), MPI_ERR_COMM);
  GIVES(MPI_Group_size(MPI_GROUP_NULL, &size), MPI_ERR_GROUP);
  GIVES(MPI_Type_commit(&none), MPI_ERR_TYPE);
  GIVES(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
}

static void wrong_arguments(void) {
  int x = 1;
  MPI_Request r;
  GIVES(MPI_Send(&x, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  GIVES(MPI_Isend(&x, 1, MPI_INT, -77, 0, MPI_COMM_WORLD, &r), MPI_ERR_RANK);
  GIVES(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  GIVES(MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
  GIVES(MPI_Bcast(&x, 1, MPI_INT, ranks, MPI_COMM_WORLD), MPI_ERR_ROOT);
  GIVES(MPI_Cartdim_get(MPI_COMM_WORLD, &x), MPI_ERR_TOPOLOGY);
  GIVES(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &x), MPI_ERR_TOPOLOGY);
  GIVES(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &x, &x, &x), MPI_ERR_TOPOLOGY);
}

/// Nowhere to put a result.
/// Whether a buffer is given twice, MPICH tells by the addresses of the counts and datatypes that come with it.
static void one_buffer_twice(void) {
#if defined(MPICH_NUMVERSION)
  int* const data = calloc((size_t)ranks, sizeof *data);
  int* const counts = malloc((size_t)ranks * sizeof *counts);
  int* const places = malloc((size_t)ranks * sizeof *places);
  MPI_Datatype* const types = malloc((size_t)ranks * sizeof *types);
  MPI_Request r;
  for (int i = 0; i < ranks; ++i) counts[i] = 1, places[i] = i * (int)sizeof *data, types[i] = MPI_INT;
  GIVES(MPI_Alltoallw(data, counts, places, types, data, counts, places, types, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  GIVES(MPI_Ialltoallw(data, counts, places, types, data, counts, places, types, MPI_COMM_WORLD, &r), MPI_ERR_BUFFER);
  free(data), free(counts), free(places), free(types);
#endif
}

/// A key may be freed by several copies of its number while an attribute has it.
static void key_freed_twice(void) {
  int key, copy;
  MPI_Comm c;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  copy = key;
  MPI_Comm_dup(MPI_COMM_SELF, &c);
  MPI_Comm_set_attr(c, key, NULL);
  GIVES(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  key = copy;
  GIVES(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  MPI_Comm_free(&c);
  GIVES(MPI_Comm_free_keyval(&copy), MPI_ERR_KEYVAL);
}

/// MPI_ERROR belongs to the status of a null request; otherwise calls with one status leave it alone.
static void errors_in_statuses(void) {
  MPI_Status s;
  MPI_Request null = MPI_REQUEST_NULL, r;
  int flag, x = 0;
  s.MPI_ERROR = 77;
  MPI_Request_get_status(null, &flag, &s);
  CHECK(flag && s.MPI_ERROR == MPI_SUCCESS, "%d", s.MPI_ERROR);
  s.MPI_ERROR = 77;
  MPI_Wait(&null, &s);
  CHECK(s.MPI_ERROR == MPI_SUCCESS, "%d", s.MPI_ERROR);
  s.MPI_ERROR = 77;
  MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, &s);
  CHECK(s.MPI_ERROR == 77, "%d", s.MPI_ERROR);
}

static void null_addresses(void) {
  int x = 0;
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  GIVES(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  GIVES(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
  GIVES(MPI_Comm_free(NULL), MPI_ERR_ARG);
  GIVES(MPI_Group_rank(group, NULL), MPI_ERR_ARG);
  GIVES(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
  GIVES(MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  GIVES(MPI_Ibarrier(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  MPI_Group_free(&group);
}

static void wrong_intercommunicators(void) {
  int n;
  MPI_Group group;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  GIVES(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
  GIVES(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), MPI_ERR_COMM);
  GIVES(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made), MPI_ERR_COMM);
  GIVES(MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, 0, 5, &made), MPI_ERR_COMM);
  GIVES(MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 5, &made), MPI_ERR_RANK);
  GIVES(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 5, &made), MPI_ERR_COMM);
  GIVES(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, ranks, 5, &made), MPI_ERR_RANK);
  GIVES(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, me, -5, &made), MPI_ERR_TAG);
  GIVES(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_SELF, 0, 5, &made), MPI_ERR_COMM);   // with itself
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/// What is refused says so through the communicator's handler, or as a return value where it has no communicator.
static void refused(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm made = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;
  CHECK(MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE)
        != MPI_SUCCESS);
  CHECK(MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_CREATE, MPI_INFO_NULL, &file) != MPI_SUCCESS);
  CHECK(MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int x = 1, y = 0;
  MPI_Errhandler counting;
  MPI_Request foreign;
  MPI_Comm_create_errhandler(on_error, &counting);
  const handles old = stale();
  for (int k = 0; k < steps; ++k) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wrong_handles(old);
    wrong_handles(stale());
    null_handles();
    wrong_arguments();
    one_buffer_twice();
    key_freed_twice();
    errors_in_statuses();
    null_addresses();
    wrong_intercommunicators();
    refused();
    memset(&foreign, 0x5a, sizeof foreign);
    GIVES(MPI_Wait(&foreign, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
    handled = 0;
    MPI_Send(&x, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
    CHECK(handled == 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(y == ranks);
    got_int(y);
    step(k);
  }
  MPI_Errhandler_free(&counting);
  return finish();
}
