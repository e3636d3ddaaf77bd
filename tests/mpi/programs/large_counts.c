// Large counts (the _c forms of MPI-4.0): types whose counts, displacements and sizes are beyond an int, decoded, kept
// over the steps and used for the few bytes that are theirs; messages and collectives of more than 2^31 elements that
// have no bytes; blocks that are as far apart; operations that are told how many elements as an MPI_Count.
#include "check.h"

#include <sys/mman.h>

enum { types = 12, most = 8, ints = 5 };
#define HUGE_COUNT (((MPI_Count)1 << 31) + 5)
static const MPI_Count huge = HUGE_COUNT, room = 2 * HUGE_COUNT + 4096;   // room: bytes of `wide`
static MPI_Comm comm, grid;
static int right, left, strict;   // strict: under mana, where no call ends in a defect of MPICH 4.0
static MPI_Datatype empty, made[types];
static char* wide;               // hardly anything of it is ever touched
static MPI_Op sum, note;

typedef struct {
  int combiner;
  MPI_Count size, lb, extent, true_lb, true_extent;
  int plain, counts, kinds;      // of MPI_Type_get_envelope_c
  MPI_Count number[5];           // of MPI_Type_get_contents_c
} described;
static const described want[types] = {
    {MPI_COMBINER_CONTIGUOUS, HUGE_COUNT, 0, HUGE_COUNT, 0, HUGE_COUNT, 0, 1, 1, {HUGE_COUNT}},
    {MPI_COMBINER_VECTOR, HUGE_COUNT, 0, 2 * HUGE_COUNT - 1, 0, 2 * HUGE_COUNT - 1, 0, 3, 1, {HUGE_COUNT, 1, 2}},
    {MPI_COMBINER_HVECTOR, 8, 0, HUGE_COUNT + 4, 0, HUGE_COUNT + 4, 0, 3, 1, {2, 1, HUGE_COUNT}},
    {MPI_COMBINER_INDEXED, 2, 0, HUGE_COUNT + 1, 0, HUGE_COUNT + 1, 0, 5, 1, {2, 1, 1, 0, HUGE_COUNT}},
    {MPI_COMBINER_HINDEXED, 4, HUGE_COUNT, 4, HUGE_COUNT, 4, 0, 5, 1, {2, 0, 1, 0, HUGE_COUNT}},
    {MPI_COMBINER_INDEXED_BLOCK, 2, 0, HUGE_COUNT + 1, 0, HUGE_COUNT + 1, 0, 4, 1, {2, 1, HUGE_COUNT, 0}},
    {MPI_COMBINER_HINDEXED_BLOCK, 8, 0, HUGE_COUNT + 4, 0, HUGE_COUNT + 4, 0, 4, 1, {2, 1, 0, HUGE_COUNT}},
    {MPI_COMBINER_STRUCT, 5, 0, HUGE_COUNT + 3, 0, HUGE_COUNT + 1, 0, 5, 2, {2, 1, 1, 0, HUGE_COUNT}},
    {MPI_COMBINER_RESIZED, 4, -HUGE_COUNT, 3 * HUGE_COUNT, 0, 4, 0, 2, 1, {-HUGE_COUNT, 3 * HUGE_COUNT}},
    {MPI_COMBINER_SUBARRAY, 2, 0, HUGE_COUNT, HUGE_COUNT - 2, 2, 2, 3, 1, {HUGE_COUNT, 2, HUGE_COUNT - 2}},
    {MPI_COMBINER_DARRAY, HUGE_COUNT, 0, HUGE_COUNT, 0, HUGE_COUNT, 7, 1, 1, {HUGE_COUNT}},
    {MPI_COMBINER_CONTIGUOUS, 0, 0, 0, 0, 0, 0, 1, 1, {HUGE_COUNT}}};

static void build(void) {
  const MPI_Count one_each[2] = {1, 1}, at[2] = {0, huge}, only_second[2] = {0, 1}, back[2] = {huge, 0};
  const MPI_Count array[1] = {huge}, part[1] = {2}, start[1] = {huge - 2};
  const MPI_Datatype kinds[2] = {MPI_INT, MPI_CHAR};
  const int block[1] = {MPI_DISTRIBUTE_BLOCK}, by[1] = {MPI_DISTRIBUTE_DFLT_DARG}, procs[1] = {1};
  MPI_Datatype* t = made;
  OK(MPI_Type_contiguous_c(0, MPI_INT, &empty));
  OK(MPI_Type_commit(&empty));
  OK(MPI_Type_contiguous_c(huge, MPI_CHAR, t++));
  OK(MPI_Type_vector_c(huge, 1, 2, MPI_CHAR, t++));
  OK(MPI_Type_create_hvector_c(2, 1, huge, MPI_INT, t++));
  OK(MPI_Type_indexed_c(2, one_each, at, MPI_CHAR, t++));
  OK(MPI_Type_create_hindexed_c(2, only_second, at, MPI_INT, t++));
  OK(MPI_Type_create_indexed_block_c(2, 1, back, MPI_CHAR, t++));
  OK(MPI_Type_create_hindexed_block_c(2, 1, at, MPI_INT, t++));
  OK(MPI_Type_create_struct_c(2, one_each, at, kinds, t++));
  OK(MPI_Type_create_resized_c(MPI_INT, -huge, 3 * huge, t++));
  OK(MPI_Type_create_subarray_c(1, array, part, start, MPI_ORDER_C, MPI_CHAR, t++));
  OK(MPI_Type_create_darray_c(1, 0, 1, array, block, by, procs, MPI_ORDER_C, MPI_CHAR, t++));
  OK(MPI_Type_contiguous_c(huge, empty, t++));
  for (int i = 0; i < types; ++i) OK(MPI_Type_commit(&made[i]));
}

static void end(void) {
  for (int i = 0; i < types; ++i) OK(MPI_Type_free(&made[i]));
  OK(MPI_Type_free(&empty));
}

static void decode(void) {
  for (int i = 0; i < types; ++i) {
    const described* const w = &want[i];
    MPI_Count size = -1, lb = -1, extent = -1, plain = -1, places = -1, counts = -1, kinds = -1, number[8];
    MPI_Aint place[1];
    MPI_Datatype of[2];
    int how = -1, small = -1, integers[8];
    OK(MPI_Type_size_c(made[i], &size));
    OK(MPI_Type_size(made[i], &small));
    CHECK(size == w->size && small == (size > INT32_MAX ? MPI_UNDEFINED : (int)size), "type %d: %lld, %d", i,
          (long long)size, small);
    OK(MPI_Type_get_extent_c(made[i], &lb, &extent));
    CHECK(lb == w->lb && extent == w->extent, "type %d: %lld, %lld", i, (long long)lb, (long long)extent);
    OK(MPI_Type_get_true_extent_c(made[i], &lb, &extent));
    CHECK(lb == w->true_lb && extent == w->true_extent, "type %d: %lld, %lld", i, (long long)lb, (long long)extent);
    OK(MPI_Type_get_envelope_c(made[i], &plain, &places, &counts, &kinds, &how));
    CHECK(how == w->combiner && plain == w->plain && places == 0 && counts == w->counts && kinds == w->kinds,
          "type %d: %lld integers, %lld addresses, %lld counts", i, (long long)plain, (long long)places,
          (long long)counts);
    if (plain > 8 || counts > 8 || kinds > 2) continue;
    OK(MPI_Type_get_contents_c(made[i], plain, places, counts, kinds, integers, place, number, of));
    for (int n = 0; n < counts; ++n)
      CHECK(number[n] == w->number[n], "type %d: [%d] is %lld", i, n, (long long)number[n]);
    CHECK(i + 1 == types || of[0] == (i == 2 || i == 4 || i >= 6 ? of[0] : MPI_CHAR));
    if (i + 1 == types) OK(MPI_Type_free(&of[0]));
    got(number, (size_t)counts * sizeof *number);
  }
}

static void counted(const MPI_Status* st, MPI_Count bytes) {
  MPI_Count n = -1;
  OK(MPI_Get_count_c(st, MPI_CHAR, &n));
  CHECK(n == bytes, "%lld", (long long)n);
  OK(MPI_Get_elements_c(st, MPI_CHAR, &n));
  CHECK(n == bytes, "%lld", (long long)n);
}

static void counts_of_statuses(void) {
  MPI_Status st;
  MPI_Count n = -1;
  int small = -1;
  OK(MPI_Status_set_elements_x(&st, MPI_CHAR, huge));
  counted(&st, huge);
  OK(MPI_Get_count(&st, MPI_CHAR, &small));
  CHECK(small == MPI_UNDEFINED, "%d", small);
  OK(MPI_Get_elements_x(&st, MPI_CHAR, &n));
  CHECK(n == huge, "%lld", (long long)n);
  OK(MPI_Get_count_c(&st, made[0], &n));
  CHECK(n == 1, "%lld", (long long)n);
}

/// Elements of no bytes: every way to send, to receive and to complete.
static void empty_messages(void) {
  typedef int send_fn(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
  typedef int isend_fn(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  send_fn* const blocking[] = {MPI_Send_c, MPI_Ssend_c, MPI_Bsend_c, MPI_Rsend_c};
  isend_fn* const starting[] = {MPI_Isend_c,     MPI_Issend_c,     MPI_Ibsend_c,     MPI_Irsend_c,
                                MPI_Send_init_c, MPI_Ssend_init_c, MPI_Bsend_init_c, MPI_Rsend_init_c};
  char attached[8 * (MPI_BSEND_OVERHEAD + 64)], out = 0, in = 0;
  MPI_Request r[2];
  MPI_Status st[2];
  MPI_Message message;
  MPI_Count size = 0;
  void* back = NULL;
  OK(MPI_Buffer_attach_c(attached, sizeof attached));
  for (int m = 0; m < 12; ++m) {
    if (m < 8) OK(MPI_Irecv_c(&in, huge, empty, left, m, comm, &r[0]));
    else OK(MPI_Recv_init_c(&in, huge, empty, left, m, comm, &r[0]));
    if (m >= 8) OK(MPI_Start(&r[0]));
    OK(MPI_Barrier(comm));
    r[1] = MPI_REQUEST_NULL;
    if (m < 4) OK(blocking[m](&out, huge, empty, right, m, comm));
    else OK(starting[m - 4](&out, huge, empty, right, m, comm, &r[1]));
    if (m >= 8) OK(MPI_Start(&r[1]));
    OK(MPI_Waitall(2, r, st));
    CHECK(st[0].MPI_SOURCE == left && st[0].MPI_TAG == m, "from %d", st[0].MPI_SOURCE);
    counted(&st[0], 0);
    for (int i = 0; i < 2 && m >= 8; ++i) OK(MPI_Request_free(&r[i]));
  }
  OK(MPI_Buffer_detach_c(&back, &size));
  CHECK(back == attached && size == sizeof attached, "%lld", (long long)size);

  OK(MPI_Sendrecv_c(&out, huge, empty, right, 1, &in, huge + 1, empty, left, 1, comm, &st[0]));
  counted(&st[0], 0);
  OK(MPI_Sendrecv_replace_c(&out, huge, empty, right, 2, left, 2, comm, &st[0]));
  counted(&st[0], 0);
  OK(MPI_Isendrecv_c(&out, huge, empty, right, 3, &in, huge, empty, left, 3, comm, &r[0]));
  OK(MPI_Isendrecv_replace_c(&out, huge, empty, right, 4, left, 4, comm, &r[1]));
  OK(MPI_Waitall(2, r, st));
  for (int i = 0; i < 2; ++i) counted(&st[i], 0);
  OK(MPI_Isend_c(&out, 1, MPI_CHAR, right, 5, comm, &r[0]));
  OK(MPI_Mprobe(left, 5, comm, &message, &st[0]));
  OK(MPI_Mrecv_c(wide, huge, MPI_CHAR, &message, &st[0]));
  counted(&st[0], 1);
  OK(MPI_Isend_c(&out, 1, MPI_CHAR, right, 6, comm, &r[1]));
  OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  OK(MPI_Mprobe(left, 6, comm, &message, &st[0]));
  OK(MPI_Imrecv_c(wide, huge, MPI_CHAR, &message, &r[0]));
  OK(MPI_Wait(&r[0], &st[0]));
  counted(&st[0], 1);
  OK(MPI_Isend_c(&out, 1, MPI_CHAR, right, 7, comm, &r[1]));
  OK(MPI_Recv_c(wide, huge, MPI_CHAR, left, 7, comm, &st[0]));
  OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
  counted(&st[0], 1);
  if (!strict) return;           // they hang
  OK(MPI_Psend_init(&out, 2, huge, empty, right, 8, comm, MPI_INFO_NULL, &r[0]));
  OK(MPI_Precv_init(&in, 3, huge, empty, left, 8, comm, MPI_INFO_NULL, &r[1]));
  OK(MPI_Startall(2, r));
  OK(MPI_Pready_range(0, 1, r[0]));
  OK(MPI_Waitall(2, r, st));
  counted(&st[1], 0);
  for (int i = 0; i < 2; ++i) OK(MPI_Request_free(&r[i]));
}

/// Two integers that lie 2^31 bytes apart, on either side; packed and unpacked as well.
static void far_messages(int k) {
  int near[2] = {val(me, 1, k, 0), val(me, 1, k, 1)}, found[2];
  char packed[256];
  MPI_Count at = 0, size = -1;
  MPI_Request r[2];
  OK(MPI_Irecv_c(wide, 1, made[2], left, 1, comm, &r[0]));
  OK(MPI_Isend_c(near, 2, MPI_INT, right, 1, comm, &r[1]));
  OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  OK(MPI_Sendrecv_c(wide, 1, made[6], right, 2, found, 2, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE));
  const int origin = (left + ranks - 1) % ranks;
  for (int i = 0; i < 2; ++i) CHECK(found[i] == val(origin, 1, k, i), "[%d]: %d", i, found[i]);
  got(found, sizeof found);
  OK(MPI_Pack_size_c(1, made[2], comm, &size));
  CHECK(size >= 8 && size <= (MPI_Count)sizeof packed, "%lld", (long long)size);
  OK(MPI_Pack_c(wide, 1, made[2], packed, sizeof packed, &at, comm));
  CHECK(at >= 8, "%lld", (long long)at);
  memset(wide, 0, 4), memset(wide + huge, 0, 4);
  at = 0;
  OK(MPI_Unpack_c(packed, sizeof packed, &at, wide, 1, made[6], comm));
  memcpy(&found[0], wide, 4), memcpy(&found[1], wide + huge, 4);
  for (int i = 0; i < 2; ++i) CHECK(found[i] == val(left, 1, k, i), "[%d]: %d", i, found[i]);
  OK(MPI_Pack_external_size_c("external32", huge, MPI_INT, &size));
  CHECK(size == 4 * huge, "%lld", (long long)size);
  OK(MPI_Pack_size_c(huge, MPI_INT, comm, &size));
  CHECK(size >= 4 * huge, "%lld", (long long)size);
  at = 0;
  OK(MPI_Pack_external_c("external32", near, 2, MPI_INT, packed, sizeof packed, &at));
  CHECK(at == 8, "%lld", (long long)at);
  at = 0, found[0] = found[1] = -1;
  OK(MPI_Unpack_external_c("external32", packed, sizeof packed, &at, found, 2, MPI_INT));
  CHECK(found[0] == near[0] && found[1] == near[1]);
}

static MPI_Count told;
static void add(void* in, void* inout, MPI_Count* n, MPI_Datatype* type) {
  MPI_Count size = 0;
  MPI_Type_size_c(*type, &size);
  for (MPI_Count i = 0; i < *n * size / 4; ++i) ((unsigned*)inout)[i] += ((unsigned*)in)[i];
}
static void take_note(void* in, void* inout, MPI_Count* n, MPI_Datatype* type) {
  (void)in, (void)inout;
  told = *type == empty ? *n : -1;
}

/// A collective in its three forms, the last one started once and then twice; what is there after each.
#define FORMS(now, start_of, init, ...) \
  for (int form = 0; form < 4; ++form) { \
    MPI_Request form_request = MPI_REQUEST_NULL; \
    memset(in, 0xff, sizeof in); \
    if (form == 0) OK(now(__VA_ARGS__)); \
    else if (form == 1) OK(start_of(__VA_ARGS__, &form_request)); \
    else OK(init(__VA_ARGS__, MPI_INFO_NULL, &form_request)); \
    for (int start = 1; start < form; ++start) { \
      OK(MPI_Start(&form_request)); \
      if (start + 1 < form) OK(MPI_Wait(&form_request, MPI_STATUS_IGNORE)); \
    } \
    OK(MPI_Wait(&form_request, MPI_STATUS_IGNORE)); \
    if (form > 1) OK(MPI_Request_free(&form_request));
#define END_FORMS }

/// More than 2^31 elements for and from everybody, none of which has bytes.
static void empty_collectives(void) {
  char out = 0, in[1];
  FORMS(MPI_Bcast_c, MPI_Ibcast_c, MPI_Bcast_init_c, &out, huge, empty, 0, comm) END_FORMS
  FORMS(MPI_Gather_c, MPI_Igather_c, MPI_Gather_init_c, &out, huge, empty, in, huge, empty, 0, comm) END_FORMS
  FORMS(MPI_Scatter_c, MPI_Iscatter_c, MPI_Scatter_init_c, &out, huge, empty, in, huge, empty, 0, comm) END_FORMS
  FORMS(MPI_Allgather_c, MPI_Iallgather_c, MPI_Allgather_init_c, &out, huge, empty, in, huge, empty, comm) END_FORMS
  FORMS(MPI_Alltoall_c, MPI_Ialltoall_c, MPI_Alltoall_init_c, &out, huge, empty, in, huge, empty, comm) END_FORMS
  FORMS(MPI_Neighbor_allgather_c, MPI_Ineighbor_allgather_c, MPI_Neighbor_allgather_init_c,
        &out, huge, empty, in, huge, empty, grid) END_FORMS
  FORMS(MPI_Neighbor_alltoall_c, MPI_Ineighbor_alltoall_c, MPI_Neighbor_alltoall_init_c,
        &out, huge, empty, in, huge, empty, grid) END_FORMS
}

/// Rank r's block is at the end of `wide` if r is the last one.
static void far_collectives(int k) {
  MPI_Count counts[most];
  MPI_Aint places[most], bytes[most];
  MPI_Datatype kinds[most];
  char out[most], in[most];
  for (int r = 0; r < most; ++r) {
    counts[r] = 1, places[r] = bytes[r] = r + 1 == ranks ? (MPI_Aint)huge : r, kinds[r] = MPI_CHAR;
    out[r] = (char)val(me, r, k, 2);
  }
#define FOUND(r, from, to) \
  do { \
    const char* const at = wide + places[r]; \
    CHECK(*at == (char)val(from, to, k, 2), "form %d, from %d", form, from); \
    got(at, 1); \
    wide[places[r]] = 0; \
  } while (0)
  FORMS(MPI_Gatherv_c, MPI_Igatherv_c, MPI_Gatherv_init_c, out, 1, MPI_CHAR, wide, counts, places, MPI_CHAR, 0, comm)
  for (int r = 0; r < ranks && me == 0; ++r) FOUND(r, r, 0);
  END_FORMS
  FORMS(MPI_Allgatherv_c, MPI_Iallgatherv_c, MPI_Allgatherv_init_c,
        out, 1, MPI_CHAR, wide, counts, places, MPI_CHAR, comm)
  for (int r = 0; r < ranks; ++r) FOUND(r, r, 0);
  END_FORMS
  for (int r = 0; r < ranks; ++r) wide[places[r]] = out[r];
  FORMS(MPI_Scatterv_c, MPI_Iscatterv_c, MPI_Scatterv_init_c,
        wide, counts, places, MPI_CHAR, in, 1, MPI_CHAR, 0, comm)
  CHECK(in[0] == (char)val(0, me, k, 2), "form %d", form);
  END_FORMS
  MPI_Aint own[most];
  for (int r = 0; r < most; ++r) own[r] = r;
  FORMS(MPI_Alltoallv_c, MPI_Ialltoallv_c, MPI_Alltoallv_init_c,
        out, counts, own, MPI_CHAR, wide, counts, places, MPI_CHAR, comm)
  for (int r = 0; r < ranks; ++r) FOUND(r, r, me);
  END_FORMS
  FORMS(MPI_Alltoallw_c, MPI_Ialltoallw_c, MPI_Alltoallw_init_c,
        out, counts, own, kinds, wide, counts, bytes, kinds, comm)
  for (int r = 0; r < ranks; ++r) FOUND(r, r, me);
  END_FORMS
  // A ring of its own: from the left, from the right; the second block is far.
  places[0] = 0, places[1] = (MPI_Aint)huge;
  FORMS(MPI_Neighbor_allgatherv_c, MPI_Ineighbor_allgatherv_c, MPI_Neighbor_allgatherv_init_c,
        out, 1, MPI_CHAR, wide, counts, places, MPI_CHAR, grid)
  FOUND(0, left, 0);
  FOUND(1, right, 0);
  END_FORMS
  for (int i = 0; i < 2; ++i) out[i] = (char)val(me, i == 0 ? left : right, k, 2);
  FORMS(MPI_Neighbor_alltoallv_c, MPI_Ineighbor_alltoallv_c, MPI_Neighbor_alltoallv_init_c,
        out, counts, own, MPI_CHAR, wide, counts, places, MPI_CHAR, grid)
  FOUND(0, left, me);
  FOUND(1, right, me);
  END_FORMS
  FORMS(MPI_Neighbor_alltoallw_c, MPI_Ineighbor_alltoallw_c, MPI_Neighbor_alltoallw_init_c,
        out, counts, own, kinds, wide, counts, places, kinds, grid)
  FOUND(0, left, me);
  FOUND(1, right, me);
  END_FORMS
}

static unsigned reduced(int from, int to, int k, int x) {
  unsigned all = 0;
  for (int r = from; r < to; ++r) all += (unsigned)val(r, 0, k, x);
  return all;
}

static void reductions(int k) {
  unsigned out[most * ints], in[most * ints], two[2] = {1, 2}, other[2] = {3, 4};
  MPI_Count blocks[most];
  char none = 0, other_none = 0;
  for (int x = 0; x < most * ints; ++x) out[x] = (unsigned)val(me, 0, k, x);
  for (int r = 0; r < most; ++r) blocks[r] = ints;
#define REDUCED(from, to, first) \
  for (int x = 0; x < ints; ++x) { \
    CHECK(in[x] == reduced(from, to, k, (first) + x), "form %d, [%d]: %u", form, x, in[x]); \
    got(&in[x], sizeof in[x]); \
  }
  FORMS(MPI_Reduce_c, MPI_Ireduce_c, MPI_Reduce_init_c, out, in, ints, MPI_UNSIGNED, sum, 0, comm)
  if (me == 0) REDUCED(0, ranks, 0)
  END_FORMS
  FORMS(MPI_Allreduce_c, MPI_Iallreduce_c, MPI_Allreduce_init_c,
        out, in, ints, MPI_UNSIGNED, sum, comm) REDUCED(0, ranks, 0) END_FORMS
  FORMS(MPI_Reduce_scatter_c, MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init_c,
        out, in, blocks, MPI_UNSIGNED, sum, comm) REDUCED(0, ranks, me * ints) END_FORMS
  FORMS(MPI_Reduce_scatter_block_c, MPI_Ireduce_scatter_block_c, MPI_Reduce_scatter_block_init_c,
        out, in, ints, MPI_UNSIGNED, sum, comm) REDUCED(0, ranks, me * ints) END_FORMS
  FORMS(MPI_Scan_c, MPI_Iscan_c, MPI_Scan_init_c,
        out, in, ints, MPI_UNSIGNED, sum, comm) REDUCED(0, me + 1, 0) END_FORMS
  FORMS(MPI_Exscan_c, MPI_Iexscan_c, MPI_Exscan_init_c, out, in, ints, MPI_UNSIGNED, sum, comm)
  if (me > 0) REDUCED(0, me, 0)
  END_FORMS
  OK(MPI_Reduce_local_c(two, other, 2, MPI_UNSIGNED, sum));
  CHECK(other[0] == 4 && other[1] == 6);
  told = 0;
  OK(MPI_Reduce_local_c(&none, &other_none, huge, empty, note));
  CHECK(told == huge, "%lld", (long long)told);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (ranks > most) return 2;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  strict = strstr(version, "MANA") != NULL;
  const int periodic[1] = {1};
  wide = mmap(NULL, (size_t)room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(wide != MAP_FAILED);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Cart_create(comm, 1, &ranks, periodic, 0, &grid);
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  OK(MPI_Op_create_c(add, 1, &sum));
  OK(MPI_Op_create_c(take_note, 1, &note));
  build();
  for (int k = 0; k < steps; ++k) {
    decode();
    counts_of_statuses();
    empty_messages();
    far_messages(k);
    empty_collectives();
    far_collectives(k);
    reductions(k);
    if (k % 10 == 9) {
      end();
      build();
    }
    step(k);
  }
  end();
  OK(MPI_Op_free(&sum));
  OK(MPI_Op_free(&note));
  MPI_Comm_free(&grid);
  MPI_Comm_free(&comm);
  munmap(wide, (size_t)room);
  return finish();
}
