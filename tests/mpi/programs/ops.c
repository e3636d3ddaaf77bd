// User-defined reductions: ones that call MPI and use thread-local data, non-commutative ones, several at once.
#include "check.h"

static __thread int calls = 5;
typedef struct { int a, b; } affine;   // x -> a x + b: composition is associative, not commutative

static void compose(void* in, void* inout, int* n, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);          // an upcall may call MPI
  CHECK(size == (int)sizeof(affine));
  ++calls;
  const affine* x = in;
  affine* y = inout;
  for (int i = 0; i < *n; ++i) {
    const affine made = {x[i].a * y[i].a, x[i].b * y[i].a + y[i].b};
    y[i] = made;
  }
}
static void absolute_max(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i)
    if (abs(((int*)in)[i]) > abs(((int*)inout)[i])) ((int*)inout)[i] = ((int*)in)[i];
}

static affine expected(int first, int last, int k) {
  affine all = {1, 0};
  for (int r = first; r <= last; ++r) {
    const int a = r % 3 - 1 + 2, b = r + k;
    const affine next = {all.a * a, all.b * a + b};
    all = next;
  }
  return all;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv);
  MPI_Datatype type;
  MPI_Op op, biggest;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(compose, 0, &op);
  MPI_Op_create(absolute_max, 1, &biggest);
  for (int k = 0; k < n; ++k) {
    const affine mine = {me % 3 - 1 + 2, me + k}, all = expected(0, ranks - 1, k), upto = expected(0, me, k);
    affine got = {0, 0}, scanned = {0, 0}, later = {0, 0};
    const int before = calls;
    MPI_Request r[2];
    MPI_Allreduce(&mine, &got, 1, type, op, MPI_COMM_WORLD);
    CHECK(got.a == all.a && got.b == all.b);
    CHECK(calls >= before);
    MPI_Scan(&mine, &scanned, 1, type, op, MPI_COMM_WORLD);
    CHECK(scanned.a == upto.a && scanned.b == upto.b);
    MPI_Iallreduce(&mine, &later, 1, type, op, MPI_COMM_WORLD, &r[0]);
    int x = me % 2 ? -me - k : me + k, y = 0;
    MPI_Ireduce(&x, &y, 1, MPI_INT, biggest, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(later.a == all.a && later.b == all.b);
    if (me == 0) CHECK(abs(y) == ranks - 1 + k);
    affine local = {2, 1};
    MPI_Reduce_local(&mine, &local, 1, type, op);
    CHECK(local.a == 2 * mine.a && local.b == mine.b * 2 + 1);
    int commutes = 7;
    MPI_Op_commutative(op, &commutes);
    CHECK(commutes == 0);
    MIX(got);
    step(k, n, argc, argv);
  }
  MPI_Op_free(&op);
  MPI_Op_free(&biggest);
  MPI_Type_free(&type);
  return finish();
}
