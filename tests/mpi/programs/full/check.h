/* Frame shared by the MPI test programs: steps, checks, and a checksum of
 * every received value that does not depend on timing or on which rank runs
 * ahead.  Include once per program. */
#ifndef CHECK_H
#define CHECK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPICH's mpi.h declares the statuses as arrays: MPI_STATUSES_IGNORE is none. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#define FNV_START 1469598103934665603ull
#define UNUSED __attribute__((unused))

static int rank, size, steps = 50;         /* in MPI_COMM_WORLD */
static int failures;                       /* wrong values seen by this rank */
static uint64_t hash = FNV_START;          /* of what this rank received */
static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;

#define CHECK(cond, ...)                                                   \
    do {                                                                   \
        if (!(cond)) {                                                     \
            pthread_mutex_lock(&check_lock);                               \
            failures++;                                                    \
            printf("%s:%d: rank %d: wrong: %s: ", __FILE__, __LINE__,      \
                   rank, #cond);                                           \
            printf(__VA_ARGS__);                                           \
            printf("\n");                                                  \
            fflush(stdout);                                                \
            pthread_mutex_unlock(&check_lock);                             \
        }                                                                  \
    } while (0)

/* An MPI call that has to return MPI_SUCCESS. */
#define OK(call)                                                           \
    do {                                                                   \
        int ok_rc_ = (call);                                               \
        CHECK(ok_rc_ == MPI_SUCCESS, "returned %d", ok_rc_);               \
    } while (0)

static inline UNUSED uint64_t fnv(uint64_t h, const void *p, size_t n)
{
    const unsigned char *c = p;
    while (n--)
        h = (h ^ *c++) * 1099511628211ull;
    return h;
}

/* Adds received bytes to this rank's hash; call in a timing-free order. */
static inline UNUSED void got(const void *p, size_t n) { hash = fnv(hash, p, n); }
static inline UNUSED void got_int(int v) { got(&v, sizeof v); }

/* A value any rank can compute: what a sends to b at step k, element i. */
static inline UNUSED int val(int a, int b, int k, int i)
{
    uint32_t x = (uint32_t)a * 2654435761u ^ (uint32_t)b * 40503u * 977u
               ^ (uint32_t)k * 2246822519u ^ (uint32_t)i * 3266489917u;
    x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
    return (int)(x & 0x3fffffff);
}

static inline UNUSED void fill(int *v, int n, int a, int b, int k)
{
    for (int i = 0; i < n; i++)
        v[i] = val(a, b, k, i);
}

/* Whether v[0..n) is what fill(v, n, a, b, k) makes. */
static inline UNUSED int same(const int *v, int n, int a, int b, int k)
{
    for (int i = 0; i < n; i++)
        if (v[i] != val(a, b, k, i)) {
            printf("rank %d: element %d of %d is %d, not %d (%d->%d, %d)\n", rank,
                   i, n, v[i], val(a, b, k, i), a, b, k);
            return 0;
        }
    return 1;
}

#define SAME(v, n, a, b, k)                                                \
    do {                                                                   \
        CHECK(same(v, n, a, b, k), "from %d to %d, step %d", a, b, k);     \
        got(v, (size_t)(n) * sizeof(int));                                 \
    } while (0)

/* Argument and MPI set-up; returns the thread level provided. */
static inline UNUSED int start(int *argc, char ***argv, int level)
{
    int provided = 0;
    MPI_Init_thread(argc, argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (*argc > 1)
        steps = atoi((*argv)[1]);
    return provided;
}

static inline UNUSED void step(int k, int n)
{
    if (rank == 0) {
        printf("step %d of %d\n", k, n);
        fflush(stdout);
    }
}

/* Reduces hash and failures, prints the checksum, finalizes; main returns it. */
static inline UNUSED int finish(void)
{
    uint64_t mine = fnv(hash, &rank, sizeof rank), all = 0;
    int bad = 0;
    MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&failures, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("checksum %016llx\n", (unsigned long long)all);
        fflush(stdout);
    }
    MPI_Finalize();
    return bad != 0;
}
#endif
