/* Messages in flight over many steps: sent at step k, received at step k + 7,
 * small ones and 200 KB ones, looked at by wildcard probes in between. */
#include "check.h"

#define LAG 7
#define SLOTS (LAG + 1)
#define SMALL 25
#define BIG 50000                       /* ints: 200 KB */
static MPI_Comm stream, wild;           /* the second is received with wildcards */
static int right, left;
static int out_small[SLOTS][SMALL], out_big[SLOTS][BIG], out_wild[SLOTS][SMALL];
static int in_big[BIG], in_wild[SLOTS][SMALL];
static MPI_Request s_small[SLOTS], s_big[SLOTS], *s_wild[SLOTS], r_wild[SLOTS];

static int small_tag(int k) { return 2 * k; }
static int big_tag(int k) { return 2 * k + 1; }
static int speaker(int k) { return val(1, 2, k, 3) % size; }

static void send(int k)
{
    int s = k % SLOTS;
    fill(out_small[s], SMALL, rank, 1, k);
    fill(out_big[s], BIG, rank, 2, k);
    OK(MPI_Isend(out_small[s], SMALL, MPI_INT, right, small_tag(k), stream, &s_small[s]));
    OK(MPI_Isend(out_big[s], BIG, MPI_INT, left, big_tag(k), stream, &s_big[s]));
    if (rank == speaker(k)) {
        fill(out_wild[s], SMALL, rank, 3, k);
        for (int d = 0; d < size; d++)
            OK(MPI_Isend(out_wild[s], SMALL, MPI_INT, d, k, wild, &s_wild[s][d]));
    }
}

/* Any message on the stream: its envelope has to be one that may be there. */
static void look(int k)
{
    int flag, n;
    MPI_Status st;
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, stream, &flag, &st));
    if (flag) {
        int sent = st.MPI_TAG / 2, big = st.MPI_TAG % 2;
        MPI_Get_count(&st, MPI_INT, &n);
        CHECK(n == (big ? BIG : SMALL), "%d ints, tag %d", n, st.MPI_TAG);
        CHECK(st.MPI_SOURCE == (big ? right : left), "from %d", st.MPI_SOURCE);
        CHECK(sent > k - LAG && sent < k + 2 * SLOTS * size, "of step %d at %d", sent, k);
    }
    OK(MPI_Iprobe(left, small_tag(k + 100000), stream, &flag, &st));
    CHECK(!flag, "a message nobody sent");
}

static void receive(int k)              /* what was sent at step k */
{
    int s = k % SLOTS, in[SMALL], n;
    MPI_Status st;
    MPI_Message m;
    OK(MPI_Probe(left, MPI_ANY_TAG, stream, &st));      /* the oldest of that sender */
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(st.MPI_TAG == small_tag(k) && n == SMALL,
          "tag %d, %d ints at %d", st.MPI_TAG, n, k);
    if (k % 2) {
        OK(MPI_Recv(in, SMALL, MPI_INT, left, MPI_ANY_TAG, stream, &st));
    } else {
        OK(MPI_Mprobe(left, small_tag(k), stream, &m, &st));
        OK(MPI_Mrecv(in, SMALL, MPI_INT, &m, &st));
    }
    CHECK(st.MPI_TAG == small_tag(k) && st.MPI_SOURCE == left, "tag %d", st.MPI_TAG);
    SAME(in, SMALL, left, 1, k);
    memset(in_big, 0xff, sizeof in_big);
    OK(MPI_Recv(in_big, BIG, MPI_INT, k % 3 ? right : MPI_ANY_SOURCE, big_tag(k), stream, &st));
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(st.MPI_SOURCE == right && n == BIG, "from %d, %d ints", st.MPI_SOURCE, n);
    SAME(in_big, BIG, right, 2, k);
    if (r_wild[s] == MPI_REQUEST_NULL)
        OK(MPI_Recv(in_wild[s], SMALL, MPI_INT, MPI_ANY_SOURCE, k, wild, &st));
    else
        OK(MPI_Wait(&r_wild[s], &st));
    CHECK(st.MPI_SOURCE == speaker(k) && st.MPI_TAG == k, "from %d", st.MPI_SOURCE);
    SAME(in_wild[s], SMALL, speaker(k), 3, k);
    OK(MPI_Wait(&s_small[s], MPI_STATUS_IGNORE));
    OK(MPI_Wait(&s_big[s], MPI_STATUS_IGNORE));
    OK(MPI_Waitall(size, s_wild[s], MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    start(&argc, &argv, MPI_THREAD_SINGLE);
    MPI_Comm_dup(MPI_COMM_WORLD, &stream);
    MPI_Comm_dup(stream, &wild);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (int s = 0; s < SLOTS; s++) {
        s_small[s] = s_big[s] = r_wild[s] = MPI_REQUEST_NULL;
        s_wild[s] = malloc((size_t)size * sizeof(MPI_Request));
        for (int d = 0; d < size; d++)
            s_wild[s][d] = MPI_REQUEST_NULL;
    }
    for (int k = 0; k < steps; k++) {
        send(k);
        if (k >= 3 && k % 3 == 0) {     /* some receives are posted early, too */
            int p = k - 3;
            OK(MPI_Irecv(in_wild[p % SLOTS], SMALL, MPI_INT, MPI_ANY_SOURCE, p, wild, &r_wild[p % SLOTS]));
        }
        if (k >= LAG)
            receive(k - LAG);
        look(k);
        step(k, steps);
    }
    for (int k = steps > LAG ? steps - LAG : 0; k < steps; k++)
        receive(k);
    int flag;
    MPI_Status st;
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, stream, &flag, &st));
    CHECK(!flag, "left over: tag %d", st.MPI_TAG);
    MPI_Comm_free(&wild);
    MPI_Comm_free(&stream);
    return finish();
}
