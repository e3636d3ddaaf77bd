// User operations: a non-commutative one (2x2 matrices modulo a prime), and a commutative one that calls MPI and keeps
// its count in thread-local storage.
#include "check.h"

enum { many = 6, prime = 1000003 };  // matrices of a message; of their elements
typedef struct {
  unsigned a, b, c, d;
} square;

static __thread long calls_here, elements_here;
static long elements_plain;  // the same count without __thread: must agree

static square times(square x, square y) {
#define MOD(p, q, r, s) (unsigned)(((uint64_t)(p) * (q) + (uint64_t)(r) * (s)) % prime)
  square m = {MOD(x.a, y.a, x.b, y.c), MOD(x.a, y.b, x.b, y.d), MOD(x.c, y.a, x.d, y.c), MOD(x.c, y.b, x.d, y.d)};
  return m;
}

static void mul(void* in, void* inout, int* len, MPI_Datatype* type) {
  square *x = in, *y = inout;
  int bytes;
  MPI_Type_size(*type, &bytes);
  CHECK(bytes == (int)sizeof(square), "%d", bytes);
  for (int i = 0; i < *len; ++i) y[i] = times(x[i], y[i]);  // in comes from the lower ranks
  ++calls_here;
  elements_here += *len;
  elements_plain += *len;
}

static void add(void* in, void* inout, int* len, MPI_Datatype* type) {
  int bytes, ints, n;
  MPI_Type_size(MPI_INT, &ints);
  MPI_Type_size(*type, &bytes);
  n = *len * bytes / ints;
  CHECK(bytes % ints == 0, "%d", bytes);
  for (int i = 0; i < n; ++i) ((unsigned*)inout)[i] += ((unsigned*)in)[i];
  ++calls_here;
  elements_here += *len;
  elements_plain += *len;
}

static square matrix(int who, int k, int i) {
  square m = {(unsigned)val(who, 0, k, i) % prime, (unsigned)val(who, 1, k, i) % prime,
           (unsigned)val(who, 2, k, i) % prime, (unsigned)val(who, 3, k, i) % prime};
  return m;
}

static void expect(const square* m, int from, int to, int k, const char* what) {
  for (int i = 0; i < many; ++i) {
    square w = matrix(from, k, i);
    for (int j = from + 1; j < to; ++j) w = times(w, matrix(j, k, i));
    CHECK(memcmp(&w, &m[i], sizeof w) == 0, "%s, step %d, element %d", what, k, i);
  }
  got(m, many * sizeof *m);
}

int main(int argc, char** argv) {
  MPI_Op product, sum;
  MPI_Datatype mat, pair;
  MPI_Request pending = MPI_REQUEST_NULL;  // some collective always is: thousands of freed operations may not wait for none
  begin(&argc, &argv);
  MPI_Type_contiguous(4, MPI_UNSIGNED, &mat);
  MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
  MPI_Type_commit(&mat);
  MPI_Type_commit(&pair);
  MPI_Op_create(mul, 0, &product);
  MPI_Op_create(add, 1, &sum);
  for (int k = 0; k < steps; ++k) {
    square mine[many], r1[many], r2[many], r3[many], r4[many], r5[many], r6[many];
    MPI_Request q[4];
    MPI_Op brief;
    MPI_Request next;
    const int root = k % ranks;
    int commutes;
    for (int i = 0; i < many; ++i) mine[i] = matrix(me, k, i);
    OK(MPI_Reduce(mine, r1, many, mat, product, root, MPI_COMM_WORLD));
    if (me == root) expect(r1, 0, ranks, k, "reduce");
    OK(MPI_Allreduce(mine, r2, many, mat, product, MPI_COMM_WORLD));
    expect(r2, 0, ranks, k, "allreduce");
    OK(MPI_Scan(mine, r3, many, mat, product, MPI_COMM_WORLD));
    expect(r3, 0, me + 1, k, "scan");
    OK(MPI_Exscan(mine, r3, many, mat, product, MPI_COMM_WORLD));
    if (me > 0) expect(r3, 0, me, k, "exscan");

    unsigned u[8], s1[8], s2[8];  // several at once, an operation freed meanwhile
    for (int i = 0; i < 8; ++i) u[i] = (unsigned)val(me, 9, k, i);
    MPI_Op_create(mul, 0, &brief);
    OK(MPI_Iallreduce(mine, r4, many, mat, product, MPI_COMM_WORLD, &q[0]));
    OK(MPI_Iscan(mine, r5, many, mat, brief, MPI_COMM_WORLD, &q[1]));
    OK(MPI_Iallreduce(u, s1, 4, pair, sum, MPI_COMM_WORLD, &q[2]));
    OK(MPI_Ireduce(mine, r6, many, mat, brief, root, MPI_COMM_WORLD, &q[3]));
    OK(MPI_Op_free(&brief));
    CHECK(brief == MPI_OP_NULL, "not freed");
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &next));
    OK(MPI_Wait(&pending, MPI_STATUS_IGNORE));
    pending = next;
    OK(MPI_Waitall(4, q, MPI_STATUSES_IGNORE));
    expect(r4, 0, ranks, k, "iallreduce");
    expect(r5, 0, me + 1, k, "iscan");
    if (me == root) expect(r6, 0, ranks, k, "ireduce");
    OK(MPI_Allreduce(u, s2, 4, pair, sum, MPI_COMM_WORLD));
    for (int i = 0; i < 8; ++i) {
      unsigned w = 0;
      for (int j = 0; j < ranks; ++j) w += (unsigned)val(j, 9, k, i);
      CHECK(s1[i] == w && s2[i] == w, "%u %u not %u", s1[i], s2[i], w);
    }
    got(s1, sizeof s1);

    for (int i = 0; i < many; ++i) r1[i] = matrix(me + 1, k, i);  // local: in is the left factor
    long before = elements_here, calls = calls_here;
    OK(MPI_Reduce_local(mine, r1, many, mat, product));
    expect(r1, me, me + 2, k, "reduce_local");
    CHECK(elements_here == before + many && calls_here > calls, "%ld elements", elements_here - before);
    CHECK(elements_here == elements_plain, "%ld in this thread, %ld in all", elements_here, elements_plain);
    OK(MPI_Op_commutative(product, &commutes));
    CHECK(!commutes, "product commutes");
    OK(MPI_Op_commutative(sum, &commutes));
    CHECK(commutes, "sum does not commute");
    step(k);
  }
  OK(MPI_Wait(&pending, MPI_STATUS_IGNORE));
  MPI_Op_free(&product);
  MPI_Op_free(&sum);
  MPI_Type_free(&mat);
  MPI_Type_free(&pair);
  return finish();
}
