// Fence epochs, over the program's memory and over MPI's, with all assertions. Each step leaves them open, with what was
// put, got and accumulated under way; the next step's fence ends them.
#include "alone.h"

enum { most = 20000, few = 16 };
struct memory {
  int put[most], shown[most], sums[few], most_of[few], sparse[2 * few];
};
/// A window; what was got, and what must stay until the fence.
struct fenced {
  MPI_Win win;
  struct memory* memory;
  int in[most], out[most], adds[few], sparse[few], n;
};
static struct memory own FOR_A_WINDOW;
static struct fenced over_own, over_theirs;

/// Every third step's epoch only gets.
static int has_puts(int k) { return k % 3 != 2; }

static void begin_epoch(struct fenced* w, int k) {
  struct memory* const m = w->memory;
  w->n = k % 4 == 0 ? most : 1 + k % few;
  fill(m->shown, most, me, 1, k);
  memset(m->sums, 0, sizeof m->sums);
  memset(m->most_of, 0, sizeof m->most_of);
  OK(MPI_Win_fence((k % 2 ? MPI_MODE_NOPRECEDE : 0) | (has_puts(k) ? 0 : MPI_MODE_NOPUT), w->win));
  OK(MPI_Get(w->in, w->n, MPI_INT, left, AT(memory, shown), w->n, MPI_INT, w->win));
  OK(MPI_Put(w->out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w->win));
  if (!has_puts(k)) return;
  fill(w->out, w->n, me, right, k);
  OK(MPI_Put(w->out, w->n, MPI_INT, right, AT(memory, put), w->n, MPI_INT, w->win));
  for (int i = 0; i < few; ++i) w->adds[i] = (me + 1) * (i + k);
  for (int r = 0; r < ranks; ++r) {
    OK(MPI_Accumulate(w->adds, few, MPI_INT, r, AT(memory, sums), few, MPI_INT, MPI_SUM, w->win));
    OK(MPI_Accumulate(w->adds, few, MPI_INT, r, AT(memory, most_of), few, MPI_INT, MPI_MAX, w->win));
  }
  // Types that are freed before the fence.
  MPI_Datatype every_second;
  OK(MPI_Type_vector(few, 1, 2, MPI_INT, &every_second));
  OK(MPI_Type_commit(&every_second));
  fill(w->sparse, few, me, left, k);
  OK(MPI_Put(w->sparse, few, MPI_INT, left, AT(memory, sparse), 1, every_second, w->win));
  OK(MPI_Type_free(&every_second));
}

static void end_epoch(struct fenced* w, int k) {
  const struct memory* const m = w->memory;
  const int sum = ranks * (ranks + 1) / 2;
  OK(MPI_Win_fence((k % 2 ? MPI_MODE_NOSUCCEED : 0) | MPI_MODE_NOSTORE, w->win));
  SAME(w->in, w->n, left, 1, k);
  if (!has_puts(k)) return;
  SAME(m->put, w->n, left, me, k);
  for (int i = 0; i < few; ++i) {
    CHECK(m->sums[i] == sum * (i + k), "sum %d: %d, step %d", i, m->sums[i], k);
    CHECK(m->most_of[i] == ranks * (i + k), "most %d: %d, step %d", i, m->most_of[i], k);
    CHECK(m->sparse[2 * i] == val(right, me, k, i) && m->sparse[2 * i + 1] == -1, "element %d, step %d", i, k);
  }
  got(m->sums, sizeof m->sums);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  begin_alone();
  over_own.memory = &own;
  over_own.win = create_window(&own, sizeof own, 1);
  over_theirs.memory = allocate_window(sizeof own, 1, &over_theirs.win);
  struct fenced* const all[] = {&over_own, &over_theirs};
  for (int w = 0; w < 2; ++w)
    for (int i = 0; i < 2 * few; ++i) all[w]->memory->sparse[i] = -1;
  for (int k = 0; k < steps; ++k) {
    for (int w = 0; w < 2; ++w) {
      if (k > 0) end_epoch(all[w], k - 1);
      begin_epoch(all[w], k);
    }
    use_alone(k);
    step(k);
  }
  for (int w = 0; w < 2; ++w) {
    if (steps > 0) end_epoch(all[w], steps - 1);
    OK(MPI_Win_free(&all[w]->win));
  }
  end_alone();
  return finish();
}
