// Windows over memory of the program that begins anywhere: at each rank at another place in a block of 16 bytes, and in
// other units. Peers write and read each cell, by puts, gets and accumulates, also of a dynamic window.
#include "memory.h"

enum { windows = 5, cells = 500 };             // cells: of 4 bytes in the first windows, else of one
static struct place {
  MPI_Win win;
  unsigned char* block;                        // on a multiple of 64
  int is_dynamic;
  MPI_Aint base_of_right;
} all[windows];

static int width(int w) { return w < 3 ? 4 : 1; }
static MPI_Datatype type(int w) { return w < 3 ? MPI_INT : MPI_SIGNED_CHAR; }
static int offset(int w, int rank) { return w < 3 ? 4 * ((w + rank) % 4) : (5 * w + 7 * rank) % 16; }
static int unit(int w, int rank) { return rank % 2 == 0 ? width(w) : 1; }
static unsigned char* base(const struct place* p, int w) { return p->block + offset(w, me); }
static MPI_Aint at(const struct place* p, int w, int cell) {
  return p->is_dynamic ? p->base_of_right + (MPI_Aint)cell * width(w) : (MPI_Aint)cell * width(w) / unit(w, right);
}

static void make(int w) {
  struct place* const p = &all[w];
  const MPI_Aint bytes = (MPI_Aint)cells * width(w);
  p->block = aligned_alloc(64, 4096);
  memset(p->block, 0, 4096);
  p->is_dynamic = w == windows - 1;
  if (!p->is_dynamic) {
    OK(MPI_Win_create(base(p, w), bytes, unit(w, me), MPI_INFO_NULL, MPI_COMM_WORLD, &p->win));
    return;
  }
  MPI_Aint mine = 0;
  OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &p->win));
  OK(MPI_Win_attach(p->win, base(p, w), bytes));
  OK(MPI_Get_address(base(p, w), &mine));
  OK(MPI_Sendrecv(&mine, 1, MPI_AINT, left, 1, &p->base_of_right, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static long value(int w, int rank, int k, int cell) {
  const long found = val(rank, cell, k, w);
  return width(w) == 4 ? found : found % 50;
}
static long read_cell(const unsigned char* from, int w) {
  int wide = 0;
  if (width(w) == 4) memcpy(&wide, from, sizeof wide);
  else wide = *(const signed char*)from;
  return wide;
}
static void write_cell(unsigned char* to, int w, long what) {
  const int wide = (int)what;
  if (width(w) == 4) memcpy(to, &wide, sizeof wide);
  else *to = (unsigned char)what;
}

/// A cell in three is put, one is put and added to, and one is left.
static int is_put(int cell, int k) { return (cell + k) % 3 != 2; }
static int is_added_to(int cell, int k) { return (cell + k) % 3 == 1; }

static void use(int w, int k) {
  static unsigned char out[cells * 4], more[cells * 4], in[cells * 4];
  const struct place* const p = &all[w];
  const int n = width(w);
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, p->win));
  for (int c = 0; c < cells; ++c) {
    write_cell(out + n * c, w, value(w, me, k, c));
    write_cell(more + n * c, w, 7);
    if (is_put(c, k)) OK(MPI_Put(out + n * c, 1, type(w), right, at(p, w, c), 1, type(w), p->win));
  }
  OK(MPI_Win_flush(right, p->win));
  for (int c = 0; c < cells; ++c)
    if (is_added_to(c, k)) OK(MPI_Accumulate(more + n * c, 1, type(w), right, at(p, w, c), 1, type(w), MPI_SUM, p->win));
  OK(MPI_Win_flush(right, p->win));
  OK(MPI_Get(in, cells, type(w), right, at(p, w, 0), cells, type(w), p->win));
  OK(MPI_Win_unlock(right, p->win));
  for (int c = 0; c < cells; ++c) {
    const long found = read_cell(in + n * c, w), expected = value(w, me, k, c) + (is_added_to(c, k) ? 7 : 0);
    CHECK(!is_put(c, k) || found == expected, "window %d, cell %d: got %ld, not %ld", w, c, found, expected);
  }
}

/// By loads.
static void look_at(int w, int k) {
  const struct place* const p = &all[w];
  OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, p->win));
  for (int c = 0; c < cells; ++c) {
    const long found = read_cell(base(p, w) + width(w) * c, w);
    const long expected = value(w, left, k, c) + (is_added_to(c, k) ? 7 : 0);
    CHECK(!is_put(c, k) || found == expected, "window %d, cell %d: %ld, not %ld", w, c, found, expected);
    if (c % 50 == 0) got_int((int)found);
  }
  OK(MPI_Win_unlock(me, p->win));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  for (int w = 0; w < windows; ++w) make(w);
  for (int k = 0; k < steps; ++k) {
    for (int w = 0; w < windows; ++w) use(w, k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    step(k);
    for (int w = 0; w < windows; ++w) look_at(w, k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  for (int w = 0; w < windows; ++w) {
    if (all[w].is_dynamic) OK(MPI_Win_detach(all[w].win, base(&all[w], w)));
    OK(MPI_Win_free(&all[w].win));
    free(all[w].block);
  }
  return finish();
}
