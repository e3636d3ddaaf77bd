// Datatypes by every constructor, used, asked for their contents, packed, and carried across restarts.
#include "check.h"

enum { kinds = 14, ints = 400 };
#ifdef MPICH_VERSION
enum { simple = 4 };      // MPICH 4.0.2 dies in MPI_Pack_external_size of an hindexed type
#else
enum { simple = kinds };
#endif

static MPI_Datatype types[kinds];

static void make(void) {
  int lengths[3] = {1, 2, 1}, places[3] = {0, 3, 7}, sizes[2] = {6, 6}, part[2] = {3, 2}, from[2] = {1, 2};
  int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 1}, grid[2] = {1, 2};
  MPI_Aint bytes[3] = {0, 16, 40};
  MPI_Datatype members[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, inner;
  MPI_Type_contiguous(5, MPI_INT, &types[0]);
  MPI_Type_vector(3, 2, 4, MPI_INT, &types[1]);
  MPI_Type_create_hvector(3, 1, 20, MPI_INT, &types[2]);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &types[3]);
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &types[4]);
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &types[5]);
  MPI_Type_create_hindexed_block(3, 1, bytes, MPI_INT, &types[6]);
  MPI_Type_create_struct(3, lengths, bytes, members, &types[7]);
  MPI_Type_create_resized(MPI_INT, 0, 12, &types[8]);
  MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &types[9]);
  MPI_Type_create_darray(2, 1, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &types[10]);
  MPI_Type_dup(types[1], &types[11]);
  MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, 32, &types[12]);
  MPI_Type_free(&inner);                       // lives on inside the other
  MPI_Type_contiguous(2, types[7], &types[13]);
  for (int i = 0; i < kinds; ++i) MPI_Type_commit(&types[i]);
}

static void fill(unsigned char* to, int seed) {
  for (size_t i = 0; i < ints * sizeof(int); ++i) to[i] = (unsigned char)(seed + 7 * i);
}

/// Through external32: the bytes that a message carried.
static void carry_external(MPI_Datatype type, const int* out, const int* in) {
  static int back[ints];
  char external[4096];
  MPI_Aint room = 0, at = 0;
  MPI_Pack_external_size("external32", 2, type, &room);
  CHECK(room <= (MPI_Aint)sizeof external);
  MPI_Pack_external("external32", out, 2, type, external, sizeof external, &at);
  const MPI_Aint end = at;
  at = 0;
  memset(back, 0, sizeof back);
  MPI_Unpack_external("external32", external, end, &at, back, 2, type);
  CHECK(at == end && memcmp(in, back, sizeof back) == 0);
}

/// Sent to the neighbour, packed and unpacked, packed as external32: the same bytes must arrive.
static void carry(MPI_Datatype type, int k, int external) {
  static int out[ints], in[ints], expect[ints];
  char packed[4096];
  int size = 0, position = 0, count = 0;
  MPI_Aint lb, extent;
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Status status;
  fill((unsigned char*)out, me + k);
  memset(in, 0, sizeof in);
  MPI_Sendrecv(out, 2, type, right, 1, in, 2, type, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, type, &count);
  CHECK(count == 2);
  fill((unsigned char*)out, left + k);
  memset(expect, 0, sizeof expect);
  MPI_Pack_size(2, type, MPI_COMM_WORLD, &size);
  CHECK(size <= (int)sizeof packed);
  MPI_Pack(out, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  size = position;
  position = 0;
  MPI_Unpack(packed, size, &position, expect, 2, type, MPI_COMM_WORLD);
  CHECK(position == size && memcmp(in, expect, sizeof in) == 0);
  mix(in, sizeof in);
  if (external) carry_external(type, out, in);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_size(type, &size);
  MIX(extent);
  MIX(size);
  MPI_Type_get_true_extent(type, &lb, &extent);
  MIX(extent);
}

static void contents(void) {
  int n, a, d, combiner, ints_[8];
  MPI_Aint places[4];
  MPI_Datatype inside[4];
  MPI_Type_get_envelope(types[1], &n, &a, &d, &combiner);
  CHECK(combiner == MPI_COMBINER_VECTOR && n == 3 && a == 0 && d == 1);
  MPI_Type_get_contents(types[1], n, a, d, ints_, places, inside);
  CHECK(ints_[0] == 3 && ints_[1] == 2 && ints_[2] == 4 && inside[0] == MPI_INT);
  MPI_Type_get_envelope(types[7], &n, &a, &d, &combiner);
  CHECK(combiner == MPI_COMBINER_STRUCT && n == 4 && a == 3 && d == 3);
  MPI_Type_get_contents(types[7], n, a, d, ints_, places, inside);
  CHECK(ints_[0] == 3 && places[2] == 40 && inside[1] == MPI_DOUBLE);
  MPI_Type_get_envelope(types[13], &n, &a, &d, &combiner);
  MPI_Type_get_contents(types[13], n, a, d, ints_, places, inside);
  MPI_Type_get_envelope(inside[0], &n, &a, &d, &combiner);
  CHECK(combiner == MPI_COMBINER_STRUCT);
  MPI_Type_free(&inside[0]);
  MPI_Type_get_envelope(MPI_DOUBLE, &n, &a, &d, &combiner);
  CHECK(combiner == MPI_COMBINER_NAMED);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv);
  int key, flag, length;
  void* value;
  char name[MPI_MAX_OBJECT_NAME];
  make();
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  MPI_Type_set_attr(types[3], key, &key);
  MPI_Type_set_name(types[3], "indexed");
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < kinds; ++i) carry(types[i], k, i < simple);
    contents();
    MPI_Datatype copy;
    MPI_Type_dup(types[3], &copy);
    MPI_Type_get_attr(copy, key, &value, &flag);
    CHECK(flag && value == &key);
    MPI_Type_free(&copy);
    MPI_Type_get_name(types[3], name, &length);
    CHECK(strcmp(name, "indexed") == 0);
    MPI_Type_get_name(MPI_INT, name, &length);
    CHECK(strcmp(name, "MPI_INT") == 0);
    step(k, n, argc, argv);
  }
  for (int i = 0; i < kinds; ++i) MPI_Type_free(&types[i]);
  return finish();
}
