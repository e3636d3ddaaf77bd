/* Every intracommunicator collective, blocking and non-blocking, with and
 * without MPI_IN_PLACE; the non-blocking ones all outstanding at once on
 * three communicators. */
#include "check.h"

#define M 5                             /* largest block, in ints */
#define MAXP 16
#define C 3
enum { BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV,
       ALLTOALLW, REDUCE, ALLREDUCE, SCAN, EXSCAN, RSB, RS, OPS };

static MPI_Comm comm[C];
static int S[C][OPS][MAXP * M], R[C][OPS][MAXP * M];
static int cnt[C][MAXP], dsp[C][MAXP], acnt[C][MAXP], bytes[C][MAXP];
static MPI_Datatype types[MAXP];
static MPI_Request req[C * (OPS + 1)];
static int nreq;

static int block(int i, int k) { return 1 + (i + k) % M; }
static int v(int o, int a, int k, int x) { return val(a + 100 * o, 0, k, x); }

#define DO(B, I, ...)                                                      \
    do { if (nb) OK(I(__VA_ARGS__, &req[nreq++])); else OK(B(__VA_ARGS__)); } while (0)
/* A send buffer, or MPI_IN_PLACE where `here` may use it. */
#define SB(o, here) (ip && (here) ? MPI_IN_PLACE : (void *)S[c][o])

static void post(int c, int k, int nb, int ip)
{
    int me, p, root;
    MPI_Comm_rank(comm[c], &me);
    MPI_Comm_size(comm[c], &p);
    root = k % p;
    int at_root = me == root;
    for (int i = 0; i < p; i++) {
        cnt[c][i] = block(i, k);
        acnt[c][i] = block(i + me, k);  /* symmetric, as MPI_IN_PLACE wants */
        dsp[c][i] = i * M;
        bytes[c][i] = i * M * (int)sizeof(int);
    }
    for (int o = 0; o < OPS; o++)
        for (int x = 0; x < p * M; x++) {
            S[c][o][x] = v(o, me, k, x);
            R[c][o][x] = -1;
            if (ip && (o >= ALLTOALL || (o == BCAST && at_root)))
                R[c][o][x] = S[c][o][x];
        }
    if (ip)                             /* own block already in its place */
        for (int i = 0; i < M; i++) {
            if (at_root)
                R[c][GATHER][me * M + i] = S[c][GATHER][i];
            if (at_root && i < cnt[c][me])
                R[c][GATHERV][me * M + i] = S[c][GATHERV][i];
            R[c][ALLGATHER][me * M + i] = S[c][ALLGATHER][i];
            if (i < cnt[c][me])
                R[c][ALLGATHERV][me * M + i] = S[c][ALLGATHERV][i];
        }
    int (*r)[MAXP * M] = R[c], (*s)[MAXP * M] = S[c];
    MPI_Datatype I = MPI_INT, U = MPI_UNSIGNED;
    MPI_Comm q = comm[c];
    DO(MPI_Bcast, MPI_Ibcast, at_root ? s[BCAST] : r[BCAST], M, I, root, q);
    DO(MPI_Gather, MPI_Igather, SB(GATHER, at_root), M, I, r[GATHER], M, I, root, q);
    DO(MPI_Gatherv, MPI_Igatherv, SB(GATHERV, at_root), cnt[c][me], I, r[GATHERV], cnt[c], dsp[c], I, root, q);
    DO(MPI_Scatter, MPI_Iscatter, s[SCATTER], M, I, ip && at_root ? MPI_IN_PLACE : r[SCATTER], M, I, root, q);
    DO(MPI_Scatterv, MPI_Iscatterv, s[SCATTERV], cnt[c], dsp[c], I,
       ip && at_root ? MPI_IN_PLACE : r[SCATTERV], cnt[c][me], I, root, q);
    DO(MPI_Barrier, MPI_Ibarrier, q);
    DO(MPI_Allgather, MPI_Iallgather, SB(ALLGATHER, 1), M, I, r[ALLGATHER], M, I, q);
    DO(MPI_Allgatherv, MPI_Iallgatherv, SB(ALLGATHERV, 1), cnt[c][me], I, r[ALLGATHERV], cnt[c], dsp[c], I, q);
    DO(MPI_Alltoall, MPI_Ialltoall, SB(ALLTOALL, 1), M, I, r[ALLTOALL], M, I, q);
    DO(MPI_Alltoallv, MPI_Ialltoallv, SB(ALLTOALLV, 1), acnt[c], dsp[c], I, r[ALLTOALLV], acnt[c], dsp[c], I, q);
    DO(MPI_Alltoallw, MPI_Ialltoallw, SB(ALLTOALLW, 1), acnt[c], bytes[c], types,
       r[ALLTOALLW], acnt[c], bytes[c], types, q);
    DO(MPI_Reduce, MPI_Ireduce, SB(REDUCE, at_root), r[REDUCE], M, U, MPI_SUM, root, q);
    DO(MPI_Allreduce, MPI_Iallreduce, SB(ALLREDUCE, 1), r[ALLREDUCE], M, I, MPI_MAX, q);
    DO(MPI_Scan, MPI_Iscan, SB(SCAN, 1), r[SCAN], M, U, MPI_SUM, q);
    DO(MPI_Exscan, MPI_Iexscan, SB(EXSCAN, 1), r[EXSCAN], M, U, MPI_SUM, q);
    DO(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, SB(RSB, 1), r[RSB], M, U, MPI_SUM, q);
    DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, SB(RS, 1), r[RS], cnt[c], U, MPI_SUM, q);
}

static int reduced(int o, int from, int to, int k, int x)
{
    unsigned sum = 0;
    int max = 0;
    for (int j = from; j < to; j++) {
        sum += (unsigned)v(o, j, k, x);
        max = v(o, j, k, x) > max ? v(o, j, k, x) : max;
    }
    return o == ALLREDUCE ? max : (int)sum;
}

static void verify(int c, int k, int ip)
{
    int me, p, root, before = 0;
    MPI_Comm_rank(comm[c], &me);
    MPI_Comm_size(comm[c], &p);
    root = k % p;
    for (int j = 0; j < me; j++)
        before += block(j, k);
    for (int o = 0; o < OPS; o++)
        for (int x = 0; x < p * M; x++) {
            int j = x / M, i = x % M, want, first = x < M, one = o == GATHERV || o == ALLGATHERV;
            if ((o == BCAST || o == SCATTER || o == SCATTERV) && me == root && (ip || o == BCAST)) continue;
            if ((o == GATHER || o == GATHERV || o == REDUCE) && me != root) continue;
            if (o == BCAST || o == SCATTER || (o >= REDUCE && o <= RSB)) { if (!first) continue; }
            if (o == SCATTERV || o == RS) { if (x >= block(me, k)) continue; }
            if (o == EXSCAN && me == 0) continue;
            if (o == BCAST) want = v(o, root, k, x);
            else if (o == SCATTER || o == SCATTERV) want = v(o, root, k, me * M + x);
            else if (o <= ALLGATHERV) want = one && i >= block(j, k) ? -1 : v(o, j, k, i);
            else if (o == ALLTOALL) want = v(o, j, k, me * M + i);
            else if (o <= ALLTOALLW)
                want = i < block(j + me, k) ? v(o, j, k, me * M + i) : ip ? S[c][o][x] : -1;
            else if (o == SCAN) want = reduced(o, 0, me + 1, k, x);
            else if (o == EXSCAN) want = reduced(o, 0, me, k, x);
            else want = reduced(o, 0, p, k, x + (o == RSB ? me * M : o == RS ? before : 0));
            CHECK(R[c][o][x] == want, "collective %d, comm %d, in place %d, [%d]: %d not %d", o, c, ip, x, R[c][o][x], want);
            got_int(R[c][o][x]);
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv, MPI_THREAD_SINGLE);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &comm[2]);
    for (int i = 0; i < MAXP; i++)
        types[i] = MPI_INT;
    for (int k = 0; k < steps; k++) {
        int nb = k & 1, ip = k >> 1 & 1;
        nreq = 0;
        for (int c = 0; c < C; c++)
            post(c, k, nb, ip);
        OK(MPI_Waitall(nreq, req, MPI_STATUSES_IGNORE));
        for (int c = 0; c < C; c++)
            verify(c, k, ip);
        step(k, steps);
    }
    for (int c = 0; c < C; c++)
        MPI_Comm_free(&comm[c]);
    return finish();
}
