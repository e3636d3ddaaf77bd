// Handles as they are written down in programs: constants in static initializers, Fortran integers of every kind, names
// of MPI-1 that were deprecated or removed and that libraries still export, communicators split by every type.
#include "check.h"

// Names of MPI-1 are among what is tested.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// mpi.h may have macros in the place of removed functions, or nothing. The libraries have them.
#undef MPI_Address
#undef MPI_Type_struct
#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_extent
#undef MPI_Type_lb
#undef MPI_Type_ub
#undef MPI_Errhandler_create
#undef MPI_Errhandler_set
#undef MPI_Errhandler_get
int MPI_Address(void*, MPI_Aint*);
int MPI_Type_struct(int, int[], MPI_Aint[], MPI_Datatype[], MPI_Datatype*);
int MPI_Type_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);
int MPI_Type_hindexed(int, int[], MPI_Aint[], MPI_Datatype, MPI_Datatype*);
int MPI_Type_extent(MPI_Datatype, MPI_Aint*);
int MPI_Type_lb(MPI_Datatype, MPI_Aint*);
int MPI_Type_ub(MPI_Datatype, MPI_Aint*);
int MPI_Errhandler_create(MPI_Comm_errhandler_function*, MPI_Errhandler*);
int MPI_Errhandler_set(MPI_Comm, MPI_Errhandler);
int MPI_Errhandler_get(MPI_Comm, MPI_Errhandler*);

static MPI_Comm world = MPI_COMM_WORLD, no_comm = MPI_COMM_NULL;
static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT_INT, MPI_BYTE};
static const int sizes[] = {4, 8, 1, 8, 8, 1};
static const struct {
  MPI_Op op;
  int of_1_and_2;
} ops[] = {{MPI_SUM, 3}, {MPI_PROD, 2}, {MPI_MAX, 2}, {MPI_MIN, 1}, {MPI_BXOR, 3}, {MPI_LAND, 1}};
static MPI_Request no_request = MPI_REQUEST_NULL;
static MPI_Group empty = MPI_GROUP_EMPTY;
static MPI_Errhandler handler = MPI_ERRORS_RETURN;
static MPI_Info no_info = MPI_INFO_NULL;

static void constants(void) {
  int n = -1;
  OK(MPI_Comm_set_errhandler(world, handler));
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    OK(MPI_Type_size(types[i], &n));
    CHECK(n == sizes[i], "type %zu: %d", i, n);
  }
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    int a = 1, b = 2;
    OK(MPI_Reduce_local(&a, &b, 1, MPI_INT, ops[i].op));
    CHECK(b == ops[i].of_1_and_2, "operation %zu: %d", i, b);
  }
  OK(MPI_Group_size(empty, &n));
  CHECK(n == 0 && no_comm == MPI_COMM_NULL && no_info == MPI_INFO_NULL);
  OK(MPI_Wait(&no_request, MPI_STATUS_IGNORE));
}

/// There and back, every kind.
static void as_integers(void) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Info info;
  MPI_Group group;
  MPI_Request request;
  MPI_Errhandler found;
  int flag, x = me, y = -1;
  MPI_Info_create(&info);
  CHECK(MPI_Info_f2c(MPI_Info_c2f(info)) == info);
  MPI_Info_free(&info);
  MPI_Comm_group(world, &group);
  CHECK(MPI_Group_f2c(MPI_Group_c2f(group)) == group);
  MPI_Group_free(&group);
  MPI_Comm_get_errhandler(world, &found);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(found)) == found);
  MPI_Errhandler_free(&found);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
  CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
  MPI_Isend(&x, 1, MPI_INT, me, 5, world, &request);
  do MPI_Improbe(me, 5, world, &flag, &message, MPI_STATUS_IGNORE);
  while (!flag);
  message = MPI_Message_f2c(MPI_Message_c2f(message));
  OK(MPI_Mrecv(&y, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  request = MPI_Request_f2c(MPI_Request_c2f(request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(y == me);
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) CHECK(MPI_Type_f2c(MPI_Type_c2f(types[i])) == types[i]);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) CHECK(MPI_Op_f2c(MPI_Op_c2f(ops[i].op)) == ops[i].op);
}

static int handled;
static void on_error(MPI_Comm* comm, int* code, ...) { handled += *comm == world && *code != MPI_SUCCESS; }

static int on_copy(MPI_Comm comm, int key, void* extra, void* value, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

/// MPI-1's names, with messages of what they make.
static void old_names(int k) {
  struct { int i; double d; } here = {k, k + 0.5}, there = {-1, -1};
  int lengths[2] = {1, 1}, key = MPI_KEYVAL_INVALID, deleted = 0, flag = 0, *found = NULL;
  MPI_Aint places[2], base, extent = -1, lower = -1, upper = -1;
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, made, rows, picked;
  MPI_Errhandler own, old;
  OK(MPI_Address(&here, &base));
  OK(MPI_Address(&here.i, &places[0]));
  OK(MPI_Address(&here.d, &places[1]));
  places[0] -= base, places[1] -= base;
  OK(MPI_Type_struct(2, lengths, places, parts, &made));
  OK(MPI_Type_commit(&made));
  OK(MPI_Type_extent(made, &extent));
  OK(MPI_Type_lb(made, &lower));
  OK(MPI_Type_ub(made, &upper));
  CHECK(extent == sizeof here && lower == 0 && upper == extent, "%ld", (long)extent);
  OK(MPI_Sendrecv(&here, 1, made, (me + 1) % ranks, 1, &there, 1, made, (me + ranks - 1) % ranks, 1, world,
                  MPI_STATUS_IGNORE));
  CHECK(there.i == k && there.d == k + 0.5);
  OK(MPI_Type_hvector(3, 1, 16, MPI_INT, &rows));
  OK(MPI_Type_extent(rows, &extent));
  CHECK(extent == 36, "%ld", (long)extent);
  OK(MPI_Type_hindexed(2, lengths, places, MPI_INT, &picked));
  OK(MPI_Type_extent(picked, &extent));
  CHECK(extent == 12, "%ld", (long)extent);
  MPI_Type_free(&made), MPI_Type_free(&rows), MPI_Type_free(&picked);

  OK(MPI_Errhandler_get(world, &old));
  OK(MPI_Errhandler_create(on_error, &own));
  OK(MPI_Errhandler_set(world, own));
  handled = 0;
  MPI_Send(&k, 1, MPI_INT, ranks, 0, world);
  CHECK(handled == 1);
  OK(MPI_Errhandler_set(world, old));
  MPI_Errhandler_free(&own), MPI_Errhandler_free(&old);

  MPI_Comm one, two;
  MPI_Comm_dup(world, &one);
  OK(MPI_Keyval_create(on_copy, on_delete, &key, &deleted));
  OK(MPI_Attr_put(one, key, &ranks));
  MPI_Comm_dup(one, &two);
  OK(MPI_Attr_get(two, key, &found, &flag));
  CHECK(flag && found == &ranks);
  OK(MPI_Attr_delete(two, key));
  CHECK(deleted == 1);
  MPI_Comm_free(&two), MPI_Comm_free(&one);
  CHECK(deleted == 2);
  OK(MPI_Keyval_free(&key));
}

/// Splits by every type: each part is a communicator of some of the world's ranks, and works.
static void split(MPI_Comm* parts, int n) {
  static const int by[] = {
      MPI_COMM_TYPE_SHARED,
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
      MPI_COMM_TYPE_HW_UNGUIDED, MPI_COMM_TYPE_HW_GUIDED,
#endif
#ifdef OPEN_MPI
      OMPI_COMM_TYPE_NODE, OMPI_COMM_TYPE_HWTHREAD, OMPI_COMM_TYPE_CORE, OMPI_COMM_TYPE_L3CACHE, OMPI_COMM_TYPE_SOCKET,
      OMPI_COMM_TYPE_NUMA, OMPI_COMM_TYPE_BOARD, OMPI_COMM_TYPE_HOST, OMPI_COMM_TYPE_CU, OMPI_COMM_TYPE_CLUSTER,
#endif
  };
  const int types_there = (int)(sizeof by / sizeof *by);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
  for (int i = 0; i < n; ++i) {
    parts[i] = MPI_COMM_NULL;
    if (i < types_there) OK(MPI_Comm_split_type(world, by[i], me, info, &parts[i]));
  }
  MPI_Info_free(&info);
  CHECK(parts[0] != MPI_COMM_NULL);
  MPI_Comm nobody = world;
  OK(MPI_Comm_split_type(world, me == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &nobody));
  CHECK((nobody == MPI_COMM_NULL) == (me == 0));
  if (nobody != MPI_COMM_NULL) MPI_Comm_free(&nobody);
}

static void use(const MPI_Comm* parts, int n) {
  for (int i = 0; i < n; ++i) {
    if (parts[i] == MPI_COMM_NULL) continue;
    int size = 0, rank = -1, one = 1, sum = 0, result = -1;
    MPI_Comm_size(parts[i], &size);
    MPI_Comm_rank(parts[i], &rank);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, parts[i]));
    CHECK(sum == size && size <= ranks && rank < size, "part %d: %d of %d", i, sum, size);
    if (size == ranks) MPI_Comm_compare(parts[i], world, &result);
    CHECK(size < ranks || result == MPI_CONGRUENT, "part %d: %d", i, result);
  }
}

int main(int argc, char** argv) {
  enum { most = 12 };
  MPI_Comm parts[most];
  begin(&argc, &argv);
  split(parts, most);
  for (int k = 0; k < steps; ++k) {
    constants();
    as_integers();
    old_names(k);
    use(parts, most);
    if (k % 40 == 39) {
      for (int i = 0; i < most; ++i)
        if (parts[i] != MPI_COMM_NULL) MPI_Comm_free(&parts[i]);
      split(parts, most);
    }
    got_int(k);
    step(k);
  }
  for (int i = 0; i < most; ++i)
    if (parts[i] != MPI_COMM_NULL) MPI_Comm_free(&parts[i]);
  return finish();
}
