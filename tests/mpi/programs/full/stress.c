/* A seeded random mix of messages and collectives on overlapping communicators.
 * All ranks draw the same schedule; what is begun is completed many events later. */
#include "check.h"

#define C 5
#define SLOTS 12                        /* operations outstanding, in order of their begin */
#define LONG 40000
#define EVENTS 16                       /* per step */
typedef struct {
    int live, kind, c, from, to, n, id, how;
    int *out, *in;
    MPI_Request s, r;
} Slot;
enum { MESSAGE, IALLREDUCE, IBCAST, IBARRIER, IALLTOALL };

static MPI_Comm comm[C];
static int me[C], p[C], smallest[C], color[C];
static Slot slots[SLOTS];
static uint64_t state = 20240607;

static int draw(int n)                  /* the same on all ranks */
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (uint64_t)n);
}

static void begin(Slot *s)
{
    MPI_Comm q = comm[s->c];
    int m = me[s->c], far = s->n * p[s->c], key = s->id * 8 + color[s->c];
    s->s = s->r = MPI_REQUEST_NULL;
    s->out = malloc((size_t)far * sizeof(int));
    s->in = malloc((size_t)far * sizeof(int));
    memset(s->in, 0xff, (size_t)far * sizeof(int));
    fill(s->out, far, m, s->kind, key);
    switch (s->kind) {
    case MESSAGE:
        if (m == s->to && s->how == 0)  /* tags are not used twice: id */
            OK(MPI_Irecv(s->in, s->n, MPI_INT, s->from, s->id, q, &s->r));
        if (m == s->to && s->how == 1)
            OK(MPI_Irecv(s->in, s->n, MPI_INT, MPI_ANY_SOURCE, s->id, q, &s->r));
        if (m == s->from)
            OK((s->id % 4 ? MPI_Isend : MPI_Issend)(s->out, s->n, MPI_INT, s->to, s->id, q, &s->s));
        break;
    case IALLREDUCE: OK(MPI_Iallreduce(s->out, s->in, s->n, MPI_INT, MPI_BXOR, q, &s->r)); break;
    case IBCAST:
        if (m == s->from) memcpy(s->in, s->out, (size_t)s->n * sizeof(int));
        OK(MPI_Ibcast(s->in, s->n, MPI_INT, s->from, q, &s->r));
        break;
    case IBARRIER: OK(MPI_Ibarrier(q, &s->r)); break;
    default: OK(MPI_Ialltoall(s->out, s->n, MPI_INT, s->in, s->n, MPI_INT, q, &s->r));
    }
}

static void end(Slot *s)
{
    MPI_Comm q = comm[s->c];
    int m = me[s->c], n = -1, flag, key = s->id * 8 + color[s->c];
    MPI_Status st;
    MPI_Message msg;
    s->live = 0;
    if (s->kind == MESSAGE) {
        if (m == s->to) {
            if (s->how <= 1) OK(MPI_Wait(&s->r, &st));
            if (s->how == 2) OK(MPI_Recv(s->in, s->n, MPI_INT, s->from, s->id, q, &st));
            if (s->how == 3) {
                for (flag = 0; !flag;)
                    OK(MPI_Improbe(MPI_ANY_SOURCE, s->id, q, &flag, &msg, &st));
                OK(MPI_Mrecv(s->in, s->n, MPI_INT, &msg, &st));
            }
            MPI_Get_count(&st, MPI_INT, &n);
            CHECK(n == s->n && st.MPI_SOURCE == s->from && st.MPI_TAG == s->id, "%d of %d ints", n, s->n);
            SAME(s->in, s->n, s->from, s->kind, key);
        }
        OK(MPI_Wait(&s->s, MPI_STATUS_IGNORE));
    } else if (s->how % 2) {
        OK(MPI_Wait(&s->r, MPI_STATUS_IGNORE));
    } else {
        do OK(MPI_Test(&s->r, &flag, MPI_STATUS_IGNORE)); while (!flag);
    }
    if (s->kind == IBCAST)
        SAME(s->in, s->n, s->from, s->kind, key);
    for (int i = 0; s->kind == IALLREDUCE && i < s->n; i++) {
        int want = 0;
        for (int j = 0; j < p[s->c]; j++)
            want ^= val(j, s->kind, key, i);
        CHECK(s->in[i] == want, "id %d, [%d]", s->id, i);
        got_int(s->in[i]);
    }
    for (int i = 0; s->kind == IALLTOALL && i < s->n * p[s->c]; i++) {
        int j = i / s->n, want = val(j, s->kind, key, m * s->n + i % s->n);
        CHECK(s->in[i] == want, "id %d, [%d]", s->id, i);
        got_int(s->in[i]);
    }
    free(s->out);
    free(s->in);
}

int main(int argc, char **argv)
{
    start(&argc, &argv, MPI_THREAD_SINGLE);
    int colors[C] = {0, rank % 2, rank / 2, rank == 0 ? 1 : 0, 0};
    for (int c = 0; c < C; c++) {
        color[c] = colors[c];
        OK(MPI_Comm_split(MPI_COMM_WORLD, colors[c], c % 2 ? rank : -rank, &comm[c]));
        MPI_Comm_rank(comm[c], &me[c]);
        MPI_Comm_size(comm[c], &p[c]);
        MPI_Allreduce(&p[c], &smallest[c], 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    int id = 0;
    for (int k = 0; k < steps; k++) {
        for (int e = 0; e < EVENTS; e++, id++) {
            Slot *s = &slots[id % SLOTS];
            int c = draw(C), kind = draw(10), a = draw(1000), b = draw(1000), len = 1 + draw(draw(8) ? 200 : LONG);
            int x = 0, sum, count = 0;
            if (s->live) end(s);
            Slot fresh = {1, kind < 6 ? MESSAGE : kind - 5, c, a % smallest[c], b % smallest[c], len, id, draw(4), NULL, NULL, 0, 0};
            *s = fresh;
            if (s->kind != MESSAGE) s->n = 1 + len % 2000;
            begin(s);
            if (a % 7 == 0) {           /* a blocking one in between */
                int d = b % C;
                x = me[d] + id;
                OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm[d]));
                for (int j = 0; j < p[d]; j++) count += j + id;
                CHECK(sum == count, "%d not %d", sum, count);
                got_int(sum);
            }
        }
        step(k, steps);
    }
    for (int i = 0; i < SLOTS; i++)     /* oldest first */
        if (slots[(id + i) % SLOTS].live) end(&slots[(id + i) % SLOTS]);
    for (int c = 0; c < C; c++)
        MPI_Comm_free(&comm[c]);
    return finish();
}
