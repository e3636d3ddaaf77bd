// A seeded random mix of messages and collectives on overlapping communicators. All ranks draw the same schedule; what
// is begun is completed many events later.
#include "check.h"

enum { comms = 5, slots = 12, longest = 40000, events = 16 };  // slots: operations under way; events: of a step
typedef struct {
  int live, kind, c, from, to, n, id, how;
  int *out, *in;
  MPI_Request s, r;
} operation;
enum { message, iallreduce, ibcast, ibarrier, ialltoall };

static MPI_Comm comm[comms];
static int own[comms], width[comms], smallest[comms], color[comms];
static operation under_way[slots];  // in the order of their start
static uint64_t state = 20240607;

/// The same on all ranks.
static int draw(int n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state >> 33) % (uint64_t)n);
}

static void start(operation* s) {
  MPI_Comm q = comm[s->c];
  int m = own[s->c], far = s->n * width[s->c], key = s->id * 8 + color[s->c];
  s->s = s->r = MPI_REQUEST_NULL;
  s->out = malloc((size_t)far * sizeof(int));
  s->in = malloc((size_t)far * sizeof(int));
  memset(s->in, 0xff, (size_t)far * sizeof(int));
  fill(s->out, far, m, s->kind, key);
  switch (s->kind) {
    case message:
      if (m == s->to && s->how == 0)  // tags are not used twice: id
        OK(MPI_Irecv(s->in, s->n, MPI_INT, s->from, s->id, q, &s->r));
      if (m == s->to && s->how == 1) OK(MPI_Irecv(s->in, s->n, MPI_INT, MPI_ANY_SOURCE, s->id, q, &s->r));
      if (m == s->from) OK((s->id % 4 ? MPI_Isend : MPI_Issend)(s->out, s->n, MPI_INT, s->to, s->id, q, &s->s));
      break;
    case iallreduce: OK(MPI_Iallreduce(s->out, s->in, s->n, MPI_INT, MPI_BXOR, q, &s->r)); break;
    case ibcast:
      if (m == s->from) memcpy(s->in, s->out, (size_t)s->n * sizeof(int));
      OK(MPI_Ibcast(s->in, s->n, MPI_INT, s->from, q, &s->r));
      break;
    case ibarrier: OK(MPI_Ibarrier(q, &s->r)); break;
    default: OK(MPI_Ialltoall(s->out, s->n, MPI_INT, s->in, s->n, MPI_INT, q, &s->r));
  }
}

static void complete(operation* s) {
  MPI_Comm q = comm[s->c];
  int m = own[s->c], n = -1, flag, key = s->id * 8 + color[s->c];
  MPI_Status st;
  MPI_Message msg;
  s->live = 0;
  if (s->kind == message) {
    if (m == s->to) {
      if (s->how <= 1) OK(MPI_Wait(&s->r, &st));
      if (s->how == 2) OK(MPI_Recv(s->in, s->n, MPI_INT, s->from, s->id, q, &st));
      if (s->how == 3) {
        for (flag = 0; !flag;) OK(MPI_Improbe(MPI_ANY_SOURCE, s->id, q, &flag, &msg, &st));
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
    do OK(MPI_Test(&s->r, &flag, MPI_STATUS_IGNORE));
    while (!flag);
  }
  if (s->kind == ibcast) SAME(s->in, s->n, s->from, s->kind, key);
  for (int i = 0; s->kind == iallreduce && i < s->n; ++i) {
    int want = 0;
    for (int j = 0; j < width[s->c]; ++j) want ^= val(j, s->kind, key, i);
    CHECK(s->in[i] == want, "id %d, [%d]", s->id, i);
    got_int(s->in[i]);
  }
  for (int i = 0; s->kind == ialltoall && i < s->n * width[s->c]; ++i) {
    int j = i / s->n, want = val(j, s->kind, key, m * s->n + i % s->n);
    CHECK(s->in[i] == want, "id %d, [%d]", s->id, i);
    got_int(s->in[i]);
  }
  free(s->out);
  free(s->in);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int colors[comms] = {0, me % 2, me / 2, me == 0 ? 1 : 0, 0};  // the last is the world itself
  for (int c = 0; c < comms; ++c) {
    color[c] = colors[c];
    if (c + 1 == comms) comm[c] = MPI_COMM_WORLD;
    else OK(MPI_Comm_split(MPI_COMM_WORLD, colors[c], c % 2 ? me : -me, &comm[c]));
    MPI_Comm_rank(comm[c], &own[c]);
    MPI_Comm_size(comm[c], &width[c]);
    MPI_Allreduce(&width[c], &smallest[c], 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  }
  int id = 0;
  for (int k = 0; k < steps; ++k) {
    for (int e = 0; e < events; ++e, ++id) {
      operation* s = &under_way[id % slots];
      int c = draw(comms), kind = draw(10), a = draw(1000), b = draw(1000), len = 1 + draw(draw(8) ? 200 : longest);
      int x = 0, sum, count = 0;
      if (s->live) complete(s);
      *s = (operation){.live = 1, .kind = kind < 6 ? message : kind - 5, .c = c, .from = a % smallest[c],
                       .to = b % smallest[c], .n = len, .id = id, .how = draw(4)};
      if (s->kind != message) s->n = 1 + len % 2000;
      start(s);
      if (a % 7 == 0) {  // a blocking one in between
        int d = b % comms;
        x = own[d] + id;
        OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm[d]));
        for (int j = 0; j < width[d]; ++j) count += j + id;
        CHECK(sum == count, "%d not %d", sum, count);
        got_int(sum);
      } else if (a % 7 == 1) {
        const int d = b % comms, root = id % smallest[d];
        x = val(own[d], root, id, color[d]);
        OK(MPI_Bcast(&x, 1, MPI_INT, root, comm[d]));
        CHECK(x == val(root, root, id, color[d]), "%d", x);
        got_int(x);
      }
    }
    step(k);
  }
  for (int i = 0; i < slots; ++i)  // oldest first
    if (under_way[(id + i) % slots].live) complete(&under_way[(id + i) % slots]);
  for (int c = 0; c + 1 < comms; ++c) MPI_Comm_free(&comm[c]);
  return finish();
}
