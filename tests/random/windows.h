// Windows of every flavor, and epochs of every kind that stay open across actions. All ranks know what lies in all members'
// memory: each applies to its model what any of them does. Within an epoch no place is written by two, but by accumulates of
// one operation; so results are known before the epoch ends.
#pragma once
#include "messages.h"

enum { most_windows = 4, most_issued = 64, places = 10 };
enum flavor { created, allocated, allocated_shared, attached };
enum epoch { no_epoch, fenced, exposed, locked, locked_all };
enum use { untouched, taken, summed, maximized };
static const int widths[places] = {3000, 400, 8, 8, 8, 8, 8, 8, 2, 2};       // of places, in int; the first takes no eager message
enum { cells = 3000 + 400 + 6 * 8 + 2 * 2 + 12 };                            // a multiple of 16 bytes

/// What an operation has got or is to get, until the epoch ends or its request does.
struct issued {
  int* buffer;
  int* expected;             // NULL: the buffer is only sent
  int n, number, kind;       // kind: enum operation
  MPI_Request request;
};

struct window {
  int used, flavor, n, who[most_ranks], rank, unit;
  MPI_Win handle;
  int* memory;
  int* of_member[most_ranks];          // of allocated_shared: as this rank sees them
  MPI_Aint base[most_ranks];           // of attached
  int epoch, shift, alone;             // shift: to whom a rank's operations go; alone: the lock is exclusive
  int (*model)[cells];                 // by member
  enum use use[most_ranks][places];
  struct issued* issued;
  int operations;                      // of this rank
  int begun[most_ranks];               // by member, at most what there is room for
  char name[24];
};
static struct window windows[most_windows];
static int window_serial;

static int first_cell(int place) {
  int cell = 0;
  for (int p = 0; p < place; ++p) cell += widths[p];
  return cell;
}
static MPI_Aint displacement(const struct window* w, int target, int place) {
  const int cell = first_cell(place);
  return w->flavor == attached ? w->base[target] + (MPI_Aint)sizeof(int) * cell : cell;
}
static int in_window(const struct window* w) { return w->rank >= 0; }

// ---- life

/// MPICH 4.0.2 goes wrong with windows over other communicators, Open MPI 4.1.4 has none over one rank.
static struct comm* comm_for_window(void) {
  if (over_mpich) return comms[0].attribute ? NULL : &comms[0];      // it copies the communicator's attributes
  int at[most_comms], n = 0;
  for (int i = 0; i < most_comms; ++i)
    if (comms[i].used && !comms[i].inter && comms[i].n[0] > 1 && comms[i].session == 0 && !comms[i].attribute) at[n++] = i;
  return n == 0 ? NULL : born(&comms[at[pick(n)]]);
}

static void* aligned_ints(int n) {
  int* at = aligned_alloc(64, ((size_t)n * sizeof(int) + 63) / 64 * 64);
  memset(at, 0, (size_t)n * sizeof(int));
  return at;
}

static void make_live(struct window* w, const struct comm* c) {
  const MPI_Aint bytes = sizeof(int) * cells;
  MPI_Aint size, mine_at;
  int unit;
  switch (w->flavor) {
    case created:
      w->memory = aligned_ints(cells);
      OK(MPI_Win_create(w->memory, bytes, sizeof(int), MPI_INFO_NULL, c->handle, &w->handle));
      break;
    case allocated: OK(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, c->handle, &w->memory, &w->handle)); break;
    case allocated_shared:
      OK(MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, c->handle, &w->memory, &w->handle));
      for (int r = 0; r < w->n; ++r) OK(MPI_Win_shared_query(w->handle, r, &size, &unit, &w->of_member[r]));
      break;
    case attached:
      w->memory = aligned_ints(cells);
      OK(MPI_Win_create_dynamic(MPI_INFO_NULL, c->handle, &w->handle));
      OK(MPI_Win_attach(w->handle, w->memory, bytes));
      OK(MPI_Get_address(w->memory, &mine_at));
      OK(MPI_Allgather(&mine_at, 1, MPI_AINT, w->base, 1, MPI_AINT, c->handle));
      break;
  }
  OK(MPI_Win_set_name(w->handle, w->name));
  memset(w->memory, 0, (size_t)bytes);
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w->rank, 0, w->handle));
  OK(MPI_Win_unlock(w->rank, w->handle));
}

static void new_window(struct window* w) {
  const int drawn = pick(4), flavor = drawn == allocated_shared && anywhere ? allocated : drawn;
  struct comm* c = comm_for_window();
  if (c == NULL) return;
  *w = (struct window){.used = 1, .flavor = flavor, .n = c->n[0], .rank = c->rank, .handle = MPI_WIN_NULL};
  memcpy(w->who, c->who[0], sizeof w->who);
  w->model = calloc((size_t)w->n, sizeof *w->model);
  w->issued = calloc(most_issued, sizeof *w->issued);
  snprintf(w->name, sizeof w->name, "window %d", ++window_serial);
  if (member(c)) make_live(w, c);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// Each value of this rank's memory is the model's.
static void check_memory(struct window* w) {
  if (!in_window(w)) return;
  for (int i = 0; i < cells; ++i)
    CHECK(w->memory[i] == w->model[w->rank][i], "%s, flavor %d, cell %d: %d, not %d", w->name, w->flavor, i, w->memory[i],
          w->model[w->rank][i]);
  took(action, w->memory, sizeof(int) * cells);
}

static void free_window(struct window* w) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  if (in_window(w)) {
    OK(MPI_Win_get_name(w->handle, name, &length));
    CHECK(strcmp(name, w->name) == 0, "%s, not %s", name, w->name);
    if (w->flavor == attached) OK(MPI_Win_detach(w->handle, w->memory));
    OK(MPI_Win_free(&w->handle));
    CHECK(w->handle == MPI_WIN_NULL);
    if (w->flavor == created || w->flavor == attached) free(w->memory);
  }
  free(w->model);
  free(w->issued);
  w->used = 0;
}

// ---- operations

/// What was got is what was there. All of them are complete.
static void end_operations(struct window* w) {
  for (int i = 0; i < w->operations; ++i) {
    struct issued* o = &w->issued[i];
    if (o->request != MPI_REQUEST_NULL) OK(MPI_Wait(&o->request, MPI_STATUS_IGNORE));
    for (int e = 0; o->expected && e < o->n; ++e)
      CHECK(o->buffer[e] == o->expected[e], "%s of flavor %d, operation %d of kind %d, element %d of %d: %d, not %d", w->name,
            w->flavor, o->number, o->kind, e, o->n, o->buffer[e], o->expected[e]);
    if (o->expected) took(o->number, o->buffer, (size_t)o->n * sizeof(int));
    free(o->buffer), free(o->expected);
  }
  w->operations = 0;
  memset(w->use, 0, sizeof w->use);
  memset(w->begun, 0, sizeof w->begun);
}

static struct issued* issue(struct window* w, int n, int number) {
  struct issued* o = &w->issued[w->operations++];
  *o = (struct issued){.n = n, .number = number, .request = MPI_REQUEST_NULL};
  o->buffer = calloc((size_t)n, sizeof(int));
  return o;
}
/// A buffer for what lies in the model now.
static struct issued* fetch(struct window* w, int target, int cell, int n, int number) {
  struct issued* o = issue(w, n, number);
  o->expected = malloc((size_t)n * sizeof(int));
  memcpy(o->expected, &w->model[target][cell], (size_t)n * sizeof(int));
  return o;
}
static struct issued* send(struct window* w, int origin, int n, int number) {
  struct issued* o = issue(w, n, number);
  fill(o->buffer, n, origin, number, 0);
  return o;
}

enum operation { put, get, sum, maximum, get_and_sum, replace, fetch_op, swap, all_operations };

/// By every rank for its model, by the origin in truth. passive: requests are allowed.
static void operate(struct window* w, int origin, int target, enum operation kind, int place, int n, int form) {
  const int number = ++window_serial, cell = first_cell(place), real = w->rank == origin, passive = w->epoch >= locked;
  const int by_request = passive && form % 2, pairs = n % 2 == 0 && form / 2 % 2;
  const MPI_Aint at = displacement(w, target, place);
  const MPI_Datatype type = pairs ? pair_type : MPI_INT;
  const int count = pairs ? n / 2 : n;
  int* const there = &w->model[target][cell];
  const int first = w->operations;
  struct issued* o;
  switch (kind) {
    case put:
      if (real) {
        o = send(w, origin, n, number);
        if (by_request) OK(MPI_Rput(o->buffer, n, MPI_INT, target, at, count, type, w->handle, &o->request));
        else OK(MPI_Put(o->buffer, count, type, target, at, n, MPI_INT, w->handle));
      }
      fill(there, n, origin, number, 0);
      break;
    case get:
      if (!real) break;
      o = fetch(w, target, cell, n, number);
      if (by_request) OK(MPI_Rget(o->buffer, count, type, target, at, n, MPI_INT, w->handle, &o->request));
      else OK(MPI_Get(o->buffer, n, MPI_INT, target, at, count, type, w->handle));
      break;
    case sum:
    case maximum: {
      const MPI_Op op = kind == sum ? MPI_SUM : MPI_MAX;
      if (real) {
        o = send(w, origin, n, number);
        for (int i = 0; i < n; ++i) o->buffer[i] %= 1000;
        if (by_request) OK(MPI_Raccumulate(o->buffer, n, MPI_INT, target, at, n, MPI_INT, op, w->handle, &o->request));
        else OK(MPI_Accumulate(o->buffer, n, MPI_INT, target, at, n, MPI_INT, op, w->handle));
      }
      for (int i = 0; i < n; ++i) {
        const int x = val(origin, number, 0, i) % 1000;
        if (kind == sum) there[i] = (int)((unsigned)there[i] + (unsigned)x);
        else if (there[i] < x) there[i] = x;
      }
      break;
    }
    case get_and_sum:
    case replace: {
      const MPI_Op op = kind == replace ? MPI_REPLACE : MPI_SUM;
      if (real) {
        struct issued* in = fetch(w, target, cell, n, number);
        o = send(w, origin, n, number);
        if (by_request)
          OK(MPI_Rget_accumulate(o->buffer, n, MPI_INT, in->buffer, n, MPI_INT, target, at, n, MPI_INT, op, w->handle, &o->request));
        else OK(MPI_Get_accumulate(o->buffer, n, MPI_INT, in->buffer, n, MPI_INT, target, at, n, MPI_INT, op, w->handle));
      }
      for (int i = 0; i < n; ++i) {
        const int x = val(origin, number, 0, i);
        there[i] = kind == replace ? x : (int)((unsigned)there[i] + (unsigned)x);
      }
      break;
    }
    case fetch_op:
      if (real) {
        struct issued* in = fetch(w, target, cell, 1, number);
        o = send(w, origin, 1, number);
        OK(MPI_Fetch_and_op(o->buffer, in->buffer, MPI_INT, target, at, MPI_BXOR, w->handle));
      }
      there[0] ^= val(origin, number, 0, 0);
      break;
    case swap: {
      const int guess = form % 3 ? there[0] : there[0] + 1;
      if (real) {
        struct issued* in = fetch(w, target, cell, 1, number);
        struct issued* compared = issue(w, 1, number);
        compared->buffer[0] = guess;
        o = send(w, origin, 1, number);
        OK(MPI_Compare_and_swap(o->buffer, compared->buffer, in->buffer, MPI_INT, target, at, w->handle));
      }
      if (guess == there[0]) there[0] = val(origin, number, 0, 0);
      break;
    }
    case all_operations: break;
  }
  for (int i = first; i < w->operations; ++i) w->issued[i].kind = (int)kind;
}

/// Whether the place may be used so in this epoch, and that it is.
static int take_place(struct window* w, int target, int place, enum operation kind) {
  const enum use as = kind == sum ? summed : kind == maximum ? maximized : taken;
  enum use* is = &w->use[target][place];
  if (*is != untouched && (*is != as || as == taken)) return 0;
  *is = as;
  return 1;
}

/// Some of every member's.
static void operations(struct window* w) {
  for (int origin = 0; origin < w->n; ++origin)
    for (int left = pick(4); left > 0; --left) {
      const int anywhere = pick(w->n), place = pick(places), form = pick(12);
      const enum operation kind = (enum operation)pick(all_operations);
      int n = kind == fetch_op || kind == swap ? 1 : 1 + pick(widths[place]);
      // Open MPI 4.1.4 gets garbage beyond the 8 KiB of its buffer.
      if (over_openmpi && (kind == get_and_sum || kind == replace) && n > 1000) n = 1 + n % 1000;
      const int target = w->epoch == exposed || w->epoch == locked ? (origin + w->shift) % w->n : anywhere;
      if (kind == swap && target == origin) continue;                        // in which Open MPI 4.1.4 crashes
      if (w->begun[origin] + 3 > most_issued || !take_place(w, target, place, kind)) continue;
      w->begun[origin] += 3;
      operate(w, origin, target, kind, place, n, form);
    }
}

// ---- epochs

/// Before it, others may still look at their memory.
static void begin_epoch(struct window* w) {
  w->epoch = fenced + pick(4), w->shift = pick(w->n), w->alone = pick(2);
  const int precedes = pick(2);
  // MPICH 4.0.2: while MPI_Win_start waits only UCX works. A peer that waits for another message never comes to its post then.
  if (w->epoch >= locked || (over_mpich && w->epoch == exposed)) OK(MPI_Barrier(MPI_COMM_WORLD));
  MPI_Group all, to, from;
  if (!in_window(w)) return;
  const int target = (w->rank + w->shift) % w->n, origin = (w->rank + w->n - w->shift) % w->n;
  switch (w->epoch) {
    case fenced: OK(MPI_Win_fence(precedes ? MPI_MODE_NOPRECEDE : 0, w->handle)); break;
    case exposed:
      OK(MPI_Win_get_group(w->handle, &all));
      OK(MPI_Group_incl(all, 1, &target, &to));
      OK(MPI_Group_incl(all, 1, &origin, &from));
      OK(MPI_Win_post(from, 0, w->handle));
      OK(MPI_Win_start(to, 0, w->handle));
      OK(MPI_Group_free(&all)), OK(MPI_Group_free(&to)), OK(MPI_Group_free(&from));
      break;
    case locked: OK(MPI_Win_lock(w->alone ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, w->handle)); break;
    case locked_all: OK(MPI_Win_lock_all(w->alone ? MPI_MODE_NOCHECK : 0, w->handle)); break;
  }
}

static void end_epoch(struct window* w) {
  const int tests = pick(2);
  int over = 0;
  if (in_window(w)) switch (w->epoch) {
    case fenced: OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->handle)); break;
    case exposed:
      OK(MPI_Win_complete(w->handle));
      if (!tests) OK(MPI_Win_wait(w->handle));
      while (tests && !over) {
        int flag;
        OK(MPI_Win_test(w->handle, &over));
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));    // Open MPI 4.1.4 only tests
      }
      break;
    case locked: OK(MPI_Win_unlock((w->rank + w->shift) % w->n, w->handle)); break;
    case locked_all: OK(MPI_Win_unlock_all(w->handle)); break;
  }
  if (w->epoch >= locked) OK(MPI_Barrier(MPI_COMM_WORLD));
  w->epoch = no_epoch;
  end_operations(w);
  if (!in_window(w)) return;
  OK(MPI_Win_lock(MPI_LOCK_SHARED, w->rank, 0, w->handle));
  check_memory(w);
  OK(MPI_Win_unlock(w->rank, w->handle));
}

/// All that was begun is complete, and the epoch goes on.
static void synchronize(struct window* w) {
  const int target = (w->rank + w->shift) % w->n, one = pick(2);
  if (w->epoch == exposed) return;
  if (in_window(w)) {
    if (w->epoch == fenced) OK(MPI_Win_fence(0, w->handle));
    else if (one && w->epoch == locked) OK(MPI_Win_flush(target, w->handle));
    else OK(MPI_Win_flush_all(w->handle));
  }
  if (w->epoch >= locked) OK(MPI_Barrier(MPI_COMM_WORLD));
  end_operations(w);
  if (w->epoch == locked_all && in_window(w)) OK(MPI_Win_sync(w->handle)), check_memory(w);
  if (w->epoch >= locked) OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// Buffers may be used again; nothing is said of targets.
static void flush_buffers(struct window* w) {
  if (w->epoch < locked || !in_window(w)) return;
  if (w->epoch == locked_all) OK(MPI_Win_flush_local_all(w->handle));
  else OK(MPI_Win_flush_local((w->rank + w->shift) % w->n, w->handle));
}

/// Outside of epochs: this rank stores to its own memory, or to its neighbour's where that is shared.
static void store(struct window* w) {
  const int place = pick(places), number = ++window_serial, shift = pick(2), cell = first_cell(place);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int r = 0; r < w->n; ++r) {
    const int to = w->flavor == allocated_shared ? (r + shift) % w->n : r;
    fill(&w->model[to][cell], widths[place], r, number, 1);
    if (r != w->rank) continue;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->handle));
    fill(&(w->flavor == allocated_shared ? w->of_member[to] : w->memory)[cell], widths[place], r, number, 1);
    OK(MPI_Win_unlock(to, w->handle));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// All members want the lock of one, read, add and write.
static void contend(struct window* w) {
  const int target = pick(w->n), place = 2 + pick(places - 2), cell = first_cell(place);
  const MPI_Aint at = displacement(w, target, place);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int times = 1 + pick(3); times > 0; --times) {
    w->model[target][cell] = (int)((unsigned)w->model[target][cell] + (unsigned)w->n);
    if (!in_window(w)) continue;
    int now = 0;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w->handle));
    OK(MPI_Get(&now, 1, MPI_INT, target, at, 1, MPI_INT, w->handle));
    OK(MPI_Win_flush(target, w->handle));
    now = (int)((unsigned)now + 1u);
    OK(MPI_Put(&now, 1, MPI_INT, target, at, 1, MPI_INT, w->handle));
    OK(MPI_Win_unlock(target, w->handle));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void window_action(void) {
  struct window* w = &windows[pick(most_windows)];
  const int what = pick(10);
  if (!w->used) new_window(w);
  else if (w->epoch == no_epoch) {
    if (what == 0) free_window(w);
    else if (what == 1) contend(w);
    else if (what == 2) store(w);
    else begin_epoch(w), operations(w);
  } else if (what < 5) operations(w);
  else if (what == 5) synchronize(w);
  else if (what == 6) flush_buffers(w);
  else end_epoch(w);
}

static void end_windows(void) {
  for (int i = 0; i < most_windows; ++i) {
    struct window* w = &windows[i];
    if (!w->used) continue;
    if (w->epoch != no_epoch) end_epoch(w);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free_window(w);
  }
}
