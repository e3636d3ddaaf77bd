/* Three threads, each with point-to-point messages and collectives on its own
 * communicator, at the same time if the MPI provides MPI_THREAD_MULTIPLE. */
#include "check.h"

#define T 3
#define N 400
#define BIG 30000                       /* ints: rendezvous */
typedef struct {
    int id, multiple;
    MPI_Comm comm;
    uint64_t hash;                      /* of this thread only: no timing in it */
    pthread_t thread;
    int big_out[BIG], big_in[BIG];
} Worker;

static Worker workers[T];
static pthread_barrier_t step_begins, step_ends;
static __thread int my_id = -1;

static void take(Worker *w, const int *v, int n, int from, int what, int k)
{
    CHECK(same(v, n, from, what, k), "thread %d, step %d", w->id, k);
    w->hash = fnv(w->hash, v, (size_t)n * sizeof *v);
}

static void work(Worker *w, int k)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, what = 10 * (w->id + 1);
    int out[N], in[N], n, flag, sum, want, root = (k + w->id) % size;
    MPI_Request r[4];
    MPI_Status st;
    fill(out, N, rank, what, k);
    OK(MPI_Sendrecv(out, N, MPI_INT, right, w->id, in, N, MPI_INT, left, w->id, w->comm, &st));
    take(w, in, N, left, what, k);

    fill(w->big_out, BIG, rank, what + 1, k);
    OK(MPI_Irecv(in, N, MPI_INT, right, 1, w->comm, &r[0]));
    OK(MPI_Irecv(w->big_in, BIG, MPI_INT, left, 2, w->comm, &r[1]));
    OK(MPI_Isend(out, N, MPI_INT, left, 1, w->comm, &r[2]));
    OK(MPI_Isend(w->big_out, BIG, MPI_INT, right, 2, w->comm, &r[3]));
    if ((k + w->id) % 2)
        OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
    else
        for (flag = 0; !flag;)
            OK(MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE));
    take(w, in, N, right, what, k);
    take(w, w->big_in, BIG, left, what + 1, k);

    fill(out, 20, rank, what + 2, k);   /* a wildcard sees this thread's messages only */
    OK(MPI_Isend(out, 20, MPI_INT, right, 100 + w->id, w->comm, &r[0]));
    OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &st));
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 20 && st.MPI_TAG == 100 + w->id && st.MPI_SOURCE == left, "%d ints, tag %d", n, st.MPI_TAG);
    OK(MPI_Recv(in, N, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, w->comm, MPI_STATUS_IGNORE));
    take(w, in, 20, left, what + 2, k);
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));

    fill(in, N, root, what + 3, rank == root ? k : -1);
    OK(MPI_Bcast(in, N, MPI_INT, root, w->comm));
    take(w, in, N, root, what + 3, k);
    n = rank * (w->id + 1) + k;
    OK(MPI_Iallreduce(&n, &sum, 1, MPI_INT, MPI_SUM, w->comm, &r[0]));
    OK(MPI_Ibarrier(w->comm, &r[1]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    want = size * (size - 1) / 2 * (w->id + 1) + k * size;
    CHECK(sum == want, "%d not %d", sum, want);
    w->hash = fnv(w->hash, &sum, sizeof sum);
    if (w->multiple)
        CHECK(my_id == w->id, "thread-local value %d of thread %d", my_id, w->id);
}

static void *run(void *arg)
{
    Worker *w = arg;
    my_id = w->id;
    for (int k = 0; k < steps; k++) {
        pthread_barrier_wait(&step_begins);
        work(w, k);
        pthread_barrier_wait(&step_ends);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int multiple = start(&argc, &argv, MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE, all, level, main_thread;
    MPI_Allreduce(&multiple, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    OK(MPI_Query_thread(&level));
    OK(MPI_Is_thread_main(&main_thread));
    CHECK(main_thread && (level == MPI_THREAD_MULTIPLE) == multiple, "level %d", level);
    if (rank == 0)
        printf("threads: %s\n", all ? "at the same time" : "one after the other");
    pthread_barrier_init(&step_begins, NULL, T + 1);
    pthread_barrier_init(&step_ends, NULL, T + 1);
    for (int t = 0; t < T; t++) {
        workers[t].id = t;
        workers[t].multiple = all;
        workers[t].hash = FNV_START;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
    }
    for (int t = 0; all && t < T; t++)
        pthread_create(&workers[t].thread, NULL, run, &workers[t]);
    for (int k = 0; k < steps; k++) {
        if (all) {
            pthread_barrier_wait(&step_begins);
            pthread_barrier_wait(&step_ends);
        } else
            for (int t = 0; t < T; t++)
                work(&workers[t], k);
        step(k, steps);
    }
    for (int t = 0; t < T; t++) {
        if (all)
            pthread_join(workers[t].thread, NULL);
        got(&workers[t].hash, sizeof workers[t].hash);
        MPI_Comm_free(&workers[t].comm);
    }
    return finish();
}
