// Every derived datatype: decoded, sent, packed; against a written-out typemap. INV-12, INV-13: each
// is freed while others are made of it.
#include "check.h"

enum { span = 64, most = 16 };  // ints of a buffer, which covers every type twice; types
typedef struct {
  MPI_Datatype t;
  const char* name;
  int combiner, inner, n, at[16];  // inner: combiner of a type that it is made of; the ints' places
} sample;
static sample all[most];
static int samples, right, left;

/// inner: a combiner, MPI_COMBINER_NAMED for MPI_INT alone. at: the places of the ints, in typemap order.
static void add_type(MPI_Datatype t, const char* name, int combiner, int inner, const char* at) {
  sample* p = &all[samples++];
  p->t = t, p->name = name, p->combiner = combiner, p->inner = inner, p->n = 0;
  for (char* end; *at; at = end) p->at[p->n++] = (int)strtol(at, &end, 10);
  OK(MPI_Type_commit(&p->t));
}

static void build(void) {
  MPI_Datatype t, quad, gap, parts[3];
  int l1[] = {2, 1}, d1[] = {5, 1}, l2[] = {1, 2}, d3[] = {0, 6}, l4[] = {1, 2, 1};
  MPI_Aint b2[] = {8, 20}, b3[] = {16, 4}, b4[] = {40, 4, 20};
  int sizes[] = {4, 5}, sub[] = {2, 3}, at[] = {1, 1}, g[] = {8, 6};
  int cyc[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, arg[] = {1, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 2};
  samples = 0;
  MPI_Type_contiguous(4, MPI_INT, &quad);
  add_type(quad, "contiguous", MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_NAMED, "0 1 2 3");
  MPI_Type_vector(3, 2, 4, MPI_INT, &t);
  add_type(t, "vector", MPI_COMBINER_VECTOR, MPI_COMBINER_NAMED, "0 1 4 5 8 9");
  MPI_Type_create_hvector(3, 1, 12, MPI_INT, &t);
  add_type(t, "hvector", MPI_COMBINER_HVECTOR, MPI_COMBINER_NAMED, "0 3 6");
  MPI_Type_indexed(2, l1, d1, MPI_INT, &t);
  add_type(t, "indexed", MPI_COMBINER_INDEXED, MPI_COMBINER_NAMED, "5 6 1");
  MPI_Type_create_hindexed(2, l2, b2, MPI_INT, &t);
  add_type(t, "hindexed", MPI_COMBINER_HINDEXED, MPI_COMBINER_NAMED, "2 5 6");
  MPI_Type_create_indexed_block(2, 2, d3, MPI_INT, &t);
  add_type(t, "indexed_block", MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_NAMED, "0 1 6 7");
  MPI_Type_create_hindexed_block(2, 1, b3, MPI_INT, &t);
  add_type(t, "hindexed_block", MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_NAMED, "4 1");
  MPI_Type_vector(2, 1, 2, MPI_INT, &gap);
  parts[0] = quad, parts[1] = MPI_INT, parts[2] = gap;
  MPI_Type_create_struct(3, l4, b4, parts, &t);
  add_type(t, "struct", MPI_COMBINER_STRUCT, MPI_COMBINER_VECTOR, "10 11 12 13 1 2 5 7");
  MPI_Type_create_subarray(2, sizes, sub, at, MPI_ORDER_C, MPI_INT, &t);
  add_type(t, "subarray", MPI_COMBINER_SUBARRAY, MPI_COMBINER_NAMED, "6 7 8 11 12 13");
  MPI_Type_create_darray(4, 3, 2, g, cyc, arg, grid, MPI_ORDER_C, MPI_INT, &t);
  add_type(t, "darray", MPI_COMBINER_DARRAY, MPI_COMBINER_NAMED, "9 10 11 21 22 23 33 34 35 45 46 47");
  MPI_Type_create_resized(gap, 0, 24, &t);
  add_type(t, "resized", MPI_COMBINER_RESIZED, MPI_COMBINER_VECTOR, "0 2");
  OK(MPI_Type_free(&gap));  // what was built from it stays
  MPI_Type_dup(all[7].t, &t);
  add_type(t, "dup", MPI_COMBINER_DUP, MPI_COMBINER_STRUCT, "10 11 12 13 1 2 5 7");
  MPI_Type_contiguous(2, all[7].t, &t);
  add_type(t, "nested", MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_STRUCT,
           "10 11 12 13 1 2 5 7 23 24 25 26 14 15 18 20");
}

static void decode(const sample* p) {
  int ni, na, nd, combiner, size, ints[40];
  MPI_Aint aints[8], lb, extent;
  MPI_Datatype inner[8];
  OK(MPI_Type_get_envelope(p->t, &ni, &na, &nd, &combiner));
  CHECK(combiner == p->combiner && ni <= 40 && na <= 8 && nd >= 1 && nd <= 8, "%s: %d", p->name, combiner);
  OK(MPI_Type_get_contents(p->t, ni, na, nd, ints, aints, inner));
  for (int i = 0; i < nd; ++i) {
    int a, b, c, is;
    MPI_Type_get_envelope(inner[i], &a, &b, &c, &is);
    // The struct is of a contiguous type, MPI_INT and a vector.
    const int in_struct[] = {MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_NAMED, MPI_COMBINER_VECTOR};
    const int want = p->combiner == MPI_COMBINER_STRUCT ? in_struct[i] : p->inner;
    CHECK(is == want && (is != MPI_COMBINER_NAMED || inner[i] == MPI_INT), "%s: inner type %d: %d", p->name, i, is);
    if (is != MPI_COMBINER_NAMED) OK(MPI_Type_free(&inner[i]));
  }
  if (combiner != MPI_COMBINER_SUBARRAY && combiner != MPI_COMBINER_DARRAY)
    got(ints, (size_t)ni * sizeof *ints);  // those hold constants of the MPI
  got(aints, (size_t)na * sizeof *aints);
  switch (combiner) {
    case MPI_COMBINER_VECTOR: CHECK(ni == 3 && ints[0] == 3 && ints[1] == 2 && ints[2] == 4, "vector"); break;
    case MPI_COMBINER_HVECTOR: CHECK(ni == 2 && na == 1 && ints[0] == 3 && aints[0] == 12, "hvector"); break;
    case MPI_COMBINER_STRUCT: CHECK(ni == 4 && na == 3 && nd == 3 && ints[2] == 2 && aints[2] == 20, "struct"); break;
    case MPI_COMBINER_RESIZED: CHECK(na == 2 && aints[0] == 0 && aints[1] == 24, "resized"); break;
    case MPI_COMBINER_SUBARRAY: CHECK(ints[0] == 2 && ints[2] == 5 && ints[4] == 3, "subarray"); break;
  }
  OK(MPI_Type_size(p->t, &size));
  OK(MPI_Type_get_extent(p->t, &lb, &extent));
  CHECK(size == 4 * p->n, "%s: size %d", p->name, size);
  got_int((int)lb), got_int((int)extent);
}

/// Whether buf holds flat[] at the places of count elements and -1 elsewhere.
static void placed(const sample* p, const int* buf, const int* flat, int count, const char* how) {
  int want[span];
  MPI_Aint lb, extent;
  MPI_Type_get_extent(p->t, &lb, &extent);
  memset(want, 0xff, sizeof want);
  for (int i = 0; i < count * p->n; ++i) want[(int)(extent / 4) * (i / p->n) + p->at[i % p->n]] = flat[i];
  CHECK(memcmp(want, buf, sizeof want) == 0, "%s by %s", p->name, how);
  got(buf, sizeof want);
}

static void transfer(const sample* p, int k) {
  int count = p->combiner == MPI_COMBINER_DARRAY ? 1 : 2, n = count * p->n, pos = 0, bytes, elements;
  int flat[span], theirs[span], src[span], dst[span], back[span];
  unsigned char packed[1024];
  MPI_Aint epos = 0, esize;
  MPI_Status st;
  fill(flat, n, me, 1, k), fill(theirs, n, left, 1, k);
  memset(src, 0xff, sizeof src), memset(dst, 0xff, sizeof dst), memset(back, 0xff, sizeof back);
  OK(MPI_Unpack(flat, 4 * n, &pos, src, count, p->t, MPI_COMM_WORLD));  // as packed ints
  placed(p, src, flat, count, "unpack");
  OK(MPI_Sendrecv(src, count, p->t, right, 1, dst, count, p->t, left, 1, MPI_COMM_WORLD, &st));
  MPI_Get_count(&st, p->t, &bytes);
  MPI_Get_elements(&st, p->t, &elements);
  CHECK(bytes == count && elements == n, "%s: %d, %d elements", p->name, bytes, elements);
  placed(p, dst, theirs, count, "send and receive");
  OK(MPI_Sendrecv(src, count, p->t, right, 2, back, n, MPI_INT, left, 2, MPI_COMM_WORLD, &st));
  CHECK(memcmp(back, theirs, (size_t)n * 4) == 0, "%s received as ints", p->name);
  OK(MPI_Pack_size(count, p->t, MPI_COMM_WORLD, &bytes));
  pos = 0;
  OK(MPI_Pack(src, count, p->t, packed, sizeof packed, &pos, MPI_COMM_WORLD));
  CHECK(pos <= bytes, "%s packs to %d of %d bytes", p->name, pos, bytes);
  OK(MPI_Sendrecv(packed, pos, MPI_PACKED, right, 3, back, n, MPI_INT, left, 3, MPI_COMM_WORLD, &st));
  CHECK(memcmp(back, theirs, (size_t)n * 4) == 0, "%s packed", p->name);
  OK(MPI_Pack_external_size("external32", count, p->t, &esize));
  OK(MPI_Pack_external("external32", src, count, p->t, packed, sizeof packed, &epos));
  CHECK(epos == esize && epos == 4 * n && packed[3] == (flat[0] & 255) && packed[0] == flat[0] >> 24, "%s: external32",
        p->name);
  memset(dst, 0xff, sizeof dst), epos = 0;
  OK(MPI_Unpack_external("external32", packed, esize, &epos, dst, count, p->t));
  placed(p, dst, flat, count, "external32");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  build();  // one set lives for five steps
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < samples; ++i) decode(&all[i]), transfer(&all[i], k);
    for (int i = 0; (k % 5 == 4 || k == steps - 1) && i < samples; ++i) OK(MPI_Type_free(&all[i].t));
    if (k % 5 == 4 && k < steps - 1) build();
    step(k);
  }
  return finish();
}
