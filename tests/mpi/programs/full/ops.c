/* User operations: a non-commutative one (2x2 matrices modulo a prime), and a
 * commutative one that calls MPI and keeps its count in thread-local storage. */
#include "check.h"

#define N 6                             /* matrices per message */
#define PRIME 1000003u
typedef struct { unsigned a, b, c, d; } Mat;

static __thread long calls_here, elements_here;
static long elements_plain;             /* same count without __thread: must agree */

static Mat times(Mat x, Mat y)
{
#define MOD(p, q, r, s) (unsigned)(((uint64_t)(p) * (q) + (uint64_t)(r) * (s)) % PRIME)
    Mat m = {MOD(x.a, y.a, x.b, y.c), MOD(x.a, y.b, x.b, y.d),
             MOD(x.c, y.a, x.d, y.c), MOD(x.c, y.b, x.d, y.d)};
    return m;
}

static void mul(void *in, void *inout, int *len, MPI_Datatype *type)
{
    Mat *x = in, *y = inout;
    int bytes;
    MPI_Type_size(*type, &bytes);
    CHECK(bytes == (int)sizeof(Mat), "%d", bytes);
    for (int i = 0; i < *len; i++)
        y[i] = times(x[i], y[i]);       /* in comes from the lower ranks */
    calls_here++;
    elements_here += *len;
    elements_plain += *len;
}

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int bytes, ints, n;
    MPI_Type_size(MPI_INT, &ints);
    MPI_Type_size(*type, &bytes);
    n = *len * bytes / ints;
    CHECK(bytes % ints == 0, "%d", bytes);
    for (int i = 0; i < n; i++)
        ((unsigned *)inout)[i] += ((unsigned *)in)[i];
    calls_here++;
    elements_here += *len;
    elements_plain += *len;
}

static Mat matrix(int who, int k, int i)
{
    Mat m = {(unsigned)val(who, 0, k, i) % PRIME, (unsigned)val(who, 1, k, i) % PRIME,
             (unsigned)val(who, 2, k, i) % PRIME, (unsigned)val(who, 3, k, i) % PRIME};
    return m;
}

static void expect(const Mat *m, int from, int to, int k, const char *what)
{
    for (int i = 0; i < N; i++) {
        Mat w = matrix(from, k, i);
        for (int j = from + 1; j < to; j++)
            w = times(w, matrix(j, k, i));
        CHECK(!memcmp(&w, &m[i], sizeof w), "%s, step %d, element %d", what, k, i);
    }
    got(m, N * sizeof *m);
}

int main(int argc, char **argv)
{
    MPI_Op product, sum;
    MPI_Datatype mat, pair;
    start(&argc, &argv, MPI_THREAD_SINGLE);
    MPI_Type_contiguous(4, MPI_UNSIGNED, &mat);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&mat);
    MPI_Type_commit(&pair);
    MPI_Op_create(mul, 0, &product);
    MPI_Op_create(add, 1, &sum);
    for (int k = 0; k < steps; k++) {
        Mat mine[N], r1[N], r2[N], r3[N], r4[N], r5[N];
        MPI_Request q[3];
        MPI_Op brief;
        int root = 0, commutes;
        for (int i = 0; i < N; i++)
            mine[i] = matrix(rank, k, i);
        root = k % size;
        OK(MPI_Reduce(mine, r1, N, mat, product, root, MPI_COMM_WORLD));
        if (rank == root)
            expect(r1, 0, size, k, "reduce");
        OK(MPI_Allreduce(mine, r2, N, mat, product, MPI_COMM_WORLD));
        expect(r2, 0, size, k, "allreduce");
        OK(MPI_Scan(mine, r3, N, mat, product, MPI_COMM_WORLD));
        expect(r3, 0, rank + 1, k, "scan");
        OK(MPI_Exscan(mine, r3, N, mat, product, MPI_COMM_WORLD));
        if (rank > 0)
            expect(r3, 0, rank, k, "exscan");

        unsigned u[8], s1[8], s2[8];    /* several at once, an operation freed meanwhile */
        for (int i = 0; i < 8; i++)
            u[i] = (unsigned)val(rank, 9, k, i);
        MPI_Op_create(mul, 0, &brief);
        OK(MPI_Iallreduce(mine, r4, N, mat, product, MPI_COMM_WORLD, &q[0]));
        OK(MPI_Iscan(mine, r5, N, mat, brief, MPI_COMM_WORLD, &q[1]));
        OK(MPI_Iallreduce(u, s1, 4, pair, sum, MPI_COMM_WORLD, &q[2]));
        OK(MPI_Op_free(&brief));
        CHECK(brief == MPI_OP_NULL, "not freed");
        OK(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
        expect(r4, 0, size, k, "iallreduce");
        expect(r5, 0, rank + 1, k, "iscan");
        OK(MPI_Allreduce(u, s2, 4, pair, sum, MPI_COMM_WORLD));
        for (int i = 0; i < 8; i++) {
            unsigned w = 0;
            for (int j = 0; j < size; j++)
                w += (unsigned)val(j, 9, k, i);
            CHECK(s1[i] == w && s2[i] == w, "%u %u not %u", s1[i], s2[i], w);
        }
        got(s1, sizeof s1);

        for (int i = 0; i < N; i++)     /* local: in is the left factor */
            r1[i] = matrix(rank + 1, k, i);
        long before = elements_here, calls = calls_here;
        OK(MPI_Reduce_local(mine, r1, N, mat, product));
        expect(r1, rank, rank + 2, k, "reduce_local");
        CHECK(elements_here == before + N && calls_here > calls, "%ld elements", elements_here - before);
        CHECK(elements_here == elements_plain, "%ld in this thread, %ld in all", elements_here, elements_plain);
        OK(MPI_Op_commutative(product, &commutes));
        CHECK(!commutes, "product commutes");
        OK(MPI_Op_commutative(sum, &commutes));
        CHECK(commutes, "sum does not commute");
        step(k, steps);
    }
    MPI_Op_free(&product);
    MPI_Op_free(&sum);
    MPI_Type_free(&mat);
    MPI_Type_free(&pair);
    return finish();
}
