// Datatypes over ints: each with the places of its elements, which is computed beside MPI. All ranks make the same
// ones.
#pragma once
#include "world.h"

enum { most_types = 10, most_elements = 40, most_extent = 400 };

/// at[i]: of element i; extent: both in ints.
struct layout { int n, extent, at[most_elements]; };
struct type { int used, attribute; MPI_Datatype handle; struct layout map; };      // attribute: its value, 0: none

static struct type types[most_types];
static const struct layout of_int = {1, 1, {0}};

/// A message's buffer: `count` elements of a layout; n ints in all. It outlives its datatype.
struct block { MPI_Datatype type; int count, n, span; struct layout map; int* bytes; };

static int place_of(const struct block* b, int i) { return i / b->map.n * b->map.extent + b->map.at[i % b->map.n]; }

/// Every int is -1.
static struct block new_block(const struct type* t, int count) {
  struct block b = {t ? t->handle : MPI_INT, count, 0, 0, t ? t->map : of_int, NULL};
  b.n = count * b.map.n, b.span = count * b.map.extent + most_extent;
  b.bytes = malloc((size_t)b.span * sizeof(int));
  for (int i = 0; i < b.span; ++i) b.bytes[i] = -1;
  return b;
}

static void fill_block(struct block* b, int from, int to, int number) {
  for (int i = 0; i < b->n; ++i) b->bytes[place_of(b, i)] = val(from, to, number, i);
}

/// What arrived is what was sent, and nothing beside it was touched.
static void check_block(struct block* b, int from, int to, int number) {
  int untouched = 0;
  for (int i = 0; i < b->n; ++i) {
    const int found = b->bytes[place_of(b, i)];
    CHECK(found == val(from, to, number, i), "element %d of %d from %d to %d, number %d: %d", i, b->n, from, to, number,
          found);
    if (found != val(from, to, number, i)) return;
    took(number, &found, sizeof found);
  }
  for (int i = 0; i < b->span; ++i) untouched += b->bytes[i] == -1;
  CHECK(untouched == b->span - b->n, "%d of %d ints outside, number %d", untouched, b->span - b->n, number);
}

static void append(struct layout* to, const struct layout* from, int at) {
  for (int i = 0; i < from->n; ++i) to->at[to->n++] = at + from->at[i];
}

/// Whether nothing lies outside of the bounds from 0 to the extent, as what MPI_Type_create_resized has moved may.
static int lies_within(const struct layout* m) {
  for (int i = 0; i < m->n; ++i)
    if (m->at[i] < 0 || m->at[i] >= m->extent) return 0;
  return 1;
}

static struct type* some_type(void) {
  int at[most_types], n = 0;
  for (int i = 0; i < most_types; ++i)
    if (types[i].used) at[n++] = i;
  return n == 0 ? NULL : &types[at[pick(n)]];
}

/// A new datatype of one that lives, or of MPI_INT.
static void make_type(void) {
  struct type* t = NULL;
  for (int i = 0; i < most_types; ++i)
    if (!types[i].used) t = &types[i];
  const struct type* base = pick(3) ? some_type() : NULL;
  if (t == NULL || (base && (base->map.n > 10 || base->map.extent > 60))) return;
  const MPI_Datatype old = base ? base->handle : MPI_INT;
  const struct layout* m = base ? &base->map : &of_int;
  struct layout* to = &t->map;
  memset(to, 0, sizeof *to);
  const int e = m->extent, n = 1 + pick(3), length = 1 + pick(m->n > 5 ? 1 : 2), gap = pick(3), stride = length + gap;
  const MPI_Aint bytes = (MPI_Aint)sizeof(int) * e;
  int lengths[4], places[4];
  MPI_Aint byte_places[4];
  MPI_Datatype olds[4];
  for (int i = 0, at = pick(2); i < n; ++i, at += stride)
    lengths[i] = length, places[i] = at, byte_places[i] = at * bytes;
  MPI_Aint low = 0, whole = 0;
  OK(MPI_Type_get_extent(old, &low, &whole));
  // Ints in the middle of a structure: its bounds are those of what is around.
  const int kind = pick(13), mixed = kind == 12 && low == 0 && n == 3 && lies_within(m);
  for (int i = 0; i < n; ++i) olds[i] = mixed && i == 1 ? MPI_INT : old;
  // The end of what is at places[]; vectors begin at 0.
  const int last = (places[n - 1] + length) * e;
  switch (kind) {
    case 0:
      OK(MPI_Type_contiguous(n, old, &t->handle));
      for (int i = 0; i < n; ++i) append(to, m, i * e);
      to->extent = n * e;
      break;
    case 1:
    case 2:
      if (kind == 1) OK(MPI_Type_vector(n, length, stride, old, &t->handle));
      else OK(MPI_Type_create_hvector(n, length, stride * bytes, old, &t->handle));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < length; ++j) append(to, m, (i * stride + j) * e);
      to->extent = ((n - 1) * stride + length) * e;
      break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 12:
      if (kind == 3) OK(MPI_Type_indexed(n, lengths, places, old, &t->handle));
      if (kind == 4) OK(MPI_Type_create_hindexed(n, lengths, byte_places, old, &t->handle));
      if (kind == 5) OK(MPI_Type_create_indexed_block(n, length, places, old, &t->handle));
      if (kind == 6) OK(MPI_Type_create_hindexed_block(n, length, byte_places, old, &t->handle));
      if (kind == 7 || kind == 12) OK(MPI_Type_create_struct(n, lengths, byte_places, olds, &t->handle));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < length; ++j) {
          if (mixed && i == 1) append(to, &of_int, places[i] * e + j);
          else append(to, m, (places[i] + j) * e);
        }
      to->extent = last - places[0] * e;
      break;
    case 8:
      to->extent = e + gap;
      OK(MPI_Type_create_resized(old, 0, (MPI_Aint)sizeof(int) * to->extent, &t->handle));
      append(to, m, 0);
      break;
    case 9:
      OK(MPI_Type_dup(old, &t->handle));
      *to = *m;
      break;
    case 10: {
      const int sizes[2] = {2 + pick(2), 3}, part[2] = {1 + pick(2), length},
                first[2] = {pick(2) * (part[0] < 2), pick(2)};
      OK(MPI_Type_create_subarray(2, sizes, part, first, MPI_ORDER_C, old, &t->handle));
      for (int i = 0; i < part[0]; ++i)
        for (int j = 0; j < part[1]; ++j) append(to, m, ((first[0] + i) * sizes[1] + first[1] + j) * e);
      to->extent = sizes[0] * sizes[1] * e;
      break;
    }
    case 11: {
      const int size = 4, way = MPI_DISTRIBUTE_CYCLIC, block = 1, parts = 2, part = pick(2);
      OK(MPI_Type_create_darray(parts, part, 1, &size, &way, &block, &parts, MPI_ORDER_C, old, &t->handle));
      for (int i = part; i < size; i += parts) append(to, m, i * e);
      to->extent = size * e;
      break;
    }
  }
  OK(MPI_Type_commit(&t->handle));
  t->used = 1, t->attribute = kind == 9 && base ? base->attribute : 0;
  int bytes_of_data = 0;
  MPI_Aint lower = 0, extent = 0;
  OK(MPI_Type_size(t->handle, &bytes_of_data));
  OK(MPI_Type_get_extent(t->handle, &lower, &extent));
  CHECK(bytes_of_data == to->n * (int)sizeof(int), "%d of kind %d", bytes_of_data, kind);
  CHECK(extent == to->extent * (MPI_Aint)sizeof(int), "%ld of kind %d, not %d ints", (long)extent, kind, to->extent);
}

static void free_type(void) {
  struct type* t = some_type();
  if (t == NULL) return;
  OK(MPI_Type_free(&t->handle));
  t->used = 0;
}

/// What it was made of: as many parts as the envelope says, each of which may be freed.
static void look_into(MPI_Datatype type, int integers, int addresses, int inner, int number) {
  int* i = malloc(((size_t)integers + 1) * sizeof *i);
  MPI_Aint* a = malloc(((size_t)addresses + 1) * sizeof *a);
  MPI_Datatype* t = malloc(((size_t)inner + 1) * sizeof *t);
  OK(MPI_Type_get_contents(type, integers, addresses, inner, i, a, t));
  took(number, i, (size_t)integers * sizeof *i), took(number, a, (size_t)addresses * sizeof *a);
  for (int part = 0; part < inner; ++part) {
    int x, y, z, combiner = -1;
    OK(MPI_Type_get_envelope(t[part], &x, &y, &z, &combiner));
    took(number, &combiner, sizeof combiner);
    if (combiner == MPI_COMBINER_NAMED) CHECK(t[part] == MPI_INT);
    else OK(MPI_Type_free(&t[part]));
  }
  free(i), free(a), free(t);
}

/// The layout of a live datatype, by its constructor's arguments and by packing.
static void use_type(void) {
  struct type* t = some_type();
  if (t == NULL) return;
  const int number = ++serial, count = 1 + pick(3);
  struct block out = new_block(t, count), in = new_block(t, count);
  int room = 0, at = 0, integers = 0, addresses = 0, inner = 0, combiner = 0;
  fill_block(&out, me, me, number);
  OK(MPI_Type_get_envelope(t->handle, &integers, &addresses, &inner, &combiner));
  CHECK(combiner != MPI_COMBINER_NAMED);
  took(number, &combiner, sizeof combiner);
  look_into(t->handle, integers, addresses, inner, number);
  OK(MPI_Pack_size(count, t->handle, MPI_COMM_WORLD, &room));
  char* packed = malloc((size_t)room + 1);
  OK(MPI_Pack(out.bytes, count, t->handle, packed, room, &at, MPI_COMM_WORLD));
  room = at, at = 0;
  OK(MPI_Unpack(packed, room, &at, in.bytes, count, t->handle, MPI_COMM_WORLD));
  check_block(&in, me, me, number);
  free(packed);
  MPI_Aint far = 0, begin_at = 0;
  OK(MPI_Pack_external_size("external32", count, t->handle, &far));
  packed = malloc((size_t)far + 1);
  OK(MPI_Pack_external("external32", out.bytes, count, t->handle, packed, far, &begin_at));
  far = begin_at, begin_at = 0;
  for (int i = 0; i < in.span; ++i) in.bytes[i] = -1;
  OK(MPI_Unpack_external("external32", packed, far, &begin_at, in.bytes, count, t->handle));
  check_block(&in, me, me, number);
  free(packed), free(out.bytes), free(in.bytes);
}
