// Datatypes that were made before the first step keep what was told of them: envelopes, contents, sizes, extents, names.
// Each step asks all of it again and sends with each. Also operations of the program, predefined operations, and requests
// that are pending or persistent across the steps.
#include "../../mpi/programs/check.h"

enum { kinds = 8, most = 64 };

struct facts {
  int ints, addresses, types, combiner, size;
  MPI_Aint lb, extent, true_lb, true_extent;
  int numbers[most];
};

static MPI_Datatype type[kinds];
static struct facts told[kinds];
static MPI_Op own_op;
static MPI_Request persistent[2];      // a send and a receive
static int sent[4], received[4];

/// Associative and commutative; 16 bits.
static void add_short(void* in, void* inout, int* n, MPI_Datatype* of) {
  int size;
  MPI_Type_size(*of, &size);
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] = (((int*)inout)[i] + ((int*)in)[i] + (size == 4 ? 0 : 100)) & 0xffff;
}

static void make(void) {
  const int lengths[] = {2, 1, 3}, places[] = {0, 4, 7};
  const MPI_Aint bytes[] = {0, 16, 40};
  const MPI_Datatype inner[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
  const int sizes[] = {4, 5}, parts[] = {2, 3}, starts[] = {1, 1};
  OK(MPI_Type_contiguous(3, MPI_INT, &type[0]));
  OK(MPI_Type_vector(2, 2, 3, MPI_INT, &type[1]));
  OK(MPI_Type_indexed(3, lengths, places, MPI_INT, &type[2]));
  OK(MPI_Type_create_struct(3, lengths, bytes, inner, &type[3]));
  OK(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type[4]));
  OK(MPI_Type_create_resized(MPI_INT, 0, 12, &type[5]));
  OK(MPI_Type_create_hvector(2, 1, 24, type[0], &type[6]));
  OK(MPI_Type_dup(type[3], &type[7]));
  for (int i = 0; i < kinds; ++i) {
    char name[MPI_MAX_OBJECT_NAME];
    snprintf(name, sizeof name, "datatype %d", i);
    OK(MPI_Type_set_name(type[i], name));
    OK(MPI_Type_commit(&type[i]));
  }
  OK(MPI_Op_create(add_short, 1, &own_op));
  OK(MPI_Send_init(sent, 4, MPI_INT, (me + 1) % ranks, 77, MPI_COMM_WORLD, &persistent[0]));
  OK(MPI_Recv_init(received, 4, MPI_INT, (me + ranks - 1) % ranks, 77, MPI_COMM_WORLD, &persistent[1]));
}

static void ask(int i, struct facts* found) {
  memset(found, 0, sizeof *found);
  OK(MPI_Type_get_envelope(type[i], &found->ints, &found->addresses, &found->types, &found->combiner));
  OK(MPI_Type_size(type[i], &found->size));
  OK(MPI_Type_get_extent(type[i], &found->lb, &found->extent));
  OK(MPI_Type_get_true_extent(type[i], &found->true_lb, &found->true_extent));
  CHECK(found->ints <= most && found->addresses <= most && found->types <= most);
  MPI_Aint addresses[most];
  MPI_Datatype inner[most];
  OK(MPI_Type_get_contents(type[i], found->ints, found->addresses, found->types, found->numbers, addresses, inner));
  for (int t = 0; t < found->types; ++t) {
    int ints, adds, types, combiner;
    OK(MPI_Type_get_envelope(inner[t], &ints, &adds, &types, &combiner));
    if (combiner != MPI_COMBINER_NAMED) OK(MPI_Type_free(&inner[t]));
  }
}

static void compare(int i) {
  struct facts found;
  char name[MPI_MAX_OBJECT_NAME], wanted[MPI_MAX_OBJECT_NAME];
  int length;
  ask(i, &found);
  CHECK(memcmp(&found, &told[i], sizeof found) == 0, "datatype %d is told otherwise", i);
  snprintf(wanted, sizeof wanted, "datatype %d", i);
  OK(MPI_Type_get_name(type[i], name, &length));
  CHECK(strcmp(name, wanted) == 0, "%s", name);
}

/// One element to the next rank, and the same bytes packed.
static void use(int i, int k) {
  enum { bytes = 256 };
  _Alignas(16) unsigned char out[bytes], in[bytes], packed[4 * bytes];
  for (int b = 0; b < bytes; ++b) out[b] = (unsigned char)val(me, i, k, b), in[b] = 0;
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  MPI_Status status;
  int count, elements, place = 0;
  OK(MPI_Sendrecv(out, 1, type[i], to, i, in, 1, type[i], from, i, MPI_COMM_WORLD, &status));
  OK(MPI_Get_count(&status, type[i], &count));
  OK(MPI_Get_elements(&status, type[i], &elements));
  CHECK(count == 1 && elements > 0, "%d, %d of datatype %d", count, elements, i);
  got_int(elements);
  got(in, sizeof in);
  OK(MPI_Pack(in, 1, type[i], packed, sizeof packed, &place, MPI_COMM_WORLD));
  CHECK(place >= told[i].size, "%d", place);
  place = 0;
  OK(MPI_Unpack(packed, sizeof packed, &place, in, 1, type[i], MPI_COMM_WORLD));
  got(in, sizeof in);
}

static void reduce(int k) {
  int mine[2] = {me + k, k}, all[2] = {0}, product = 0;
  struct { double value; int rank; } low = {(double)((me + k) % ranks), me}, lowest;
  OK(MPI_Scan(mine, all, 2, MPI_INT, own_op, MPI_COMM_WORLD));
  got(all, sizeof all);
  OK(MPI_Allreduce(&low, &lowest, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
  CHECK(lowest.value == 0.0 && (lowest.rank + k) % ranks == 0, "%d", lowest.rank);
  OK(MPI_Allreduce(&mine[1], &product, 1, MPI_INT, MPI_BXOR, MPI_COMM_WORLD));
  CHECK(product == (ranks % 2 ? k : 0), "%d", product);
}

/// Persistent requests, and a receive of the step before, which is pending over the step's end.
static void request(int k) {
  static MPI_Request pending = MPI_REQUEST_NULL;
  static int late[3];
  MPI_Status status;
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  fill(sent, 4, me, to, k);
  OK(MPI_Startall(2, persistent));
  OK(MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE));
  SAME(received, 4, from, me, k);
  if (pending != MPI_REQUEST_NULL) {
    int out[3];
    fill(out, 3, me, to, k - 1);
    OK(MPI_Send(out, 3, MPI_INT, to, 78, MPI_COMM_WORLD));
    OK(MPI_Wait(&pending, &status));
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 78, "%d, %d", status.MPI_SOURCE, status.MPI_TAG);
    SAME(late, 3, from, me, k - 1);
  }
  if (k + 1 < steps) OK(MPI_Irecv(late, 3, MPI_INT, MPI_ANY_SOURCE, 78, MPI_COMM_WORLD, &pending));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make();
  for (int i = 0; i < kinds; ++i) ask(i, &told[i]);
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < kinds; ++i) compare(i), use(i, k);
    reduce(k);
    request(k);
    step(k);
  }
  for (int i = 0; i < kinds; ++i) OK(MPI_Type_free(&type[i]));
  for (int r = 0; r < 2; ++r) OK(MPI_Request_free(&persistent[r]));
  OK(MPI_Op_free(&own_op));
  return finish();
}
