// Datatypes: attributes with callbacks, names, types freed while in use, nesting, true extents, addresses. One with an
// attribute and a name lives across the steps.
#include "check.h"

static int copies, deletions;

static int copy_attr(MPI_Datatype t, int key, void* extra, void* in, void* out, int* flag) {
  (void)t, (void)key;
  *(intptr_t*)out = (intptr_t)in + *(int*)extra;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}

static int delete_attr(MPI_Datatype t, int key, void* value, void* extra) {
  (void)t, (void)key, (void)extra;
  CHECK((intptr_t)value == 500 || (intptr_t)value == 507, "value %ld", (long)(intptr_t)value);
  ++deletions;
  return MPI_SUCCESS;
}

static void attributes(int k) {
  static int seven = 7;
  MPI_Datatype a, b;
  int key, flag, len;
  void* v;
  char name[MPI_MAX_OBJECT_NAME], want[32];
  copies = deletions = 0;
  OK(MPI_Type_create_keyval(copy_attr, delete_attr, &key, &seven));
  OK(MPI_Type_contiguous(3, MPI_INT, &a));
  OK(MPI_Type_set_attr(a, key, (void*)(intptr_t)500));
  OK(MPI_Type_dup(a, &b));
  OK(MPI_Type_get_attr(b, key, &v, &flag));
  CHECK(flag && (intptr_t)v == 507 && copies == 1, "%d copies", copies);
  OK(MPI_Type_delete_attr(a, key));
  OK(MPI_Type_get_attr(a, key, &v, &flag));
  CHECK(!flag && deletions == 1, "%d deletions", deletions);
  OK(MPI_Type_free_keyval(&key));
  CHECK(key == MPI_KEYVAL_INVALID, "key kept");
  snprintf(want, sizeof want, "triple of step %d", k);
  OK(MPI_Type_set_name(b, want));
  OK(MPI_Type_get_name(b, name, &len));
  CHECK(strcmp(name, want) == 0 && len == (int)strlen(want), "%s", name);
  got(name, (size_t)len);
  OK(MPI_Type_get_name(MPI_DOUBLE, name, &len));
  CHECK(strcmp(name, "MPI_DOUBLE") == 0, "%s", name);
  OK(MPI_Type_free(&a));
  OK(MPI_Type_free(&b));
  CHECK(b == MPI_DATATYPE_NULL && deletions == 2, "%d deletions", deletions);
}

typedef struct {
  char tag;
  double x[2];
  short s;
  int64_t id;
} record;

/// Members of different types: `raw` is decoded, `two` is packed, both ways.
static void decode_and_pack(MPI_Datatype raw, MPI_Datatype two, const record* out) {
  int ni, na, nd, combiner, ints[5], size, at = 0;
  MPI_Aint places[4];
  MPI_Datatype inner[4];
  record back[6];
  char packed[1024];
  OK(MPI_Type_get_envelope(raw, &ni, &na, &nd, &combiner));
  CHECK(combiner == MPI_COMBINER_STRUCT && ni == 5 && na == 4 && nd == 4, "%d: %d %d %d", combiner, ni, na, nd);
  OK(MPI_Type_get_contents(raw, ni, na, nd, ints, places, inner));
  CHECK(ints[0] == 4 && ints[2] == 2 && places[3] == offsetof(record, id), "contents");
  CHECK(inner[0] == MPI_CHAR && inner[1] == MPI_DOUBLE && inner[3] == MPI_INT64_T, "members");
  OK(MPI_Pack_size(3, two, MPI_COMM_WORLD, &size));
  OK(MPI_Pack(out, 3, two, packed, sizeof packed, &at, MPI_COMM_WORLD));
  CHECK(at <= size, "packs to %d of %d bytes", at, size);
  memset(back, 0x77, sizeof back);
  size = at, at = 0;
  OK(MPI_Unpack(packed, size, &at, back, 3, two, MPI_COMM_WORLD));
  CHECK(at == size && memcmp(out, back, sizeof back) == 0, "unpacked");
#ifndef MPICH_VERSION  // MPICH 4.0.2 dies in MPI_Pack_external_size and MPI_Pack_external of such a type
  MPI_Aint room, end = 0;
  OK(MPI_Pack_external_size("external32", 3, two, &room));
  OK(MPI_Pack_external("external32", out, 3, two, packed, sizeof packed, &end));
  CHECK(end <= room && end == 6 * (1 + 16 + 2 + 8), "%ld of %ld bytes", (long)end, (long)room);
  memset(back, 0x77, sizeof back);
  room = end, end = 0;
  OK(MPI_Unpack_external("external32", packed, room, &end, back, 3, two));
  CHECK(end == room && memcmp(out, back, sizeof back) == 0, "unpacked from external32");
#endif
}

/// A type freed with a message under way.
static void records(int k) {
  record out[8], in[8];
  int lengths[] = {1, 2, 1, 1}, n, elements, right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Aint at[4], base, lb, extent;
  MPI_Datatype parts[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT64_T}, raw, type, two;
  MPI_Request r[2];
  MPI_Status st[2];
  memset(out, 0x77, sizeof out);
  memset(in, 0x55, sizeof in);
  MPI_Get_address(&out[0], &base);
  MPI_Get_address(&out[0].tag, &at[0]);
  MPI_Get_address(&out[0].x, &at[1]);
  MPI_Get_address(&out[0].s, &at[2]);
  MPI_Get_address(&out[0].id, &at[3]);
  for (int i = 0; i < 4; ++i) at[i] = MPI_Aint_diff(at[i], base);
  OK(MPI_Type_create_struct(4, lengths, at, parts, &raw));
  OK(MPI_Type_create_resized(raw, 0, sizeof(record), &type));
  OK(MPI_Type_contiguous(2, type, &two));
  OK(MPI_Type_commit(&two));
  OK(MPI_Type_get_extent(two, &lb, &extent));
  CHECK(lb == 0 && extent == 2 * (MPI_Aint)sizeof(record), "extent %ld", (long)extent);
  OK(MPI_Type_get_true_extent(raw, &lb, &extent));
  CHECK(lb == 0 && extent == (MPI_Aint)(offsetof(record, id) + 8), "true extent %ld", (long)extent);
  for (int i = 0; i < 8; ++i) {
    out[i].tag = (char)('a' + (me + k + i) % 26);
    out[i].x[0] = val(me, 0, k, i) / 8.0;
    out[i].x[1] = -out[i].x[0];
    out[i].s = (short)(me * 100 + i);
    out[i].id = (int64_t)val(me, 1, k, i) << 20;
  }
  decode_and_pack(raw, two, out);
  OK(MPI_Irecv(in, 4, two, left, 5, MPI_COMM_WORLD, &r[0]));
  OK(MPI_Isend(out, 3, two, right, 5, MPI_COMM_WORLD, &r[1]));
  OK(MPI_Type_free(&raw));
  OK(MPI_Type_free(&type));
  MPI_Datatype held;
  OK(MPI_Type_dup(two, &held));
  OK(MPI_Type_free(&two));
  OK(MPI_Waitall(2, r, st));
  OK(MPI_Get_count(&st[0], held, &n));
  OK(MPI_Get_elements(&st[0], held, &elements));
  CHECK(n == 3 && elements == 30, "%d, %d elements", n, elements);
  for (int i = 0; i < 6; ++i) {
    record* q = &in[i];
    double x = val(left, 0, k, i) / 8.0;
    CHECK(q->tag == 'a' + (left + k + i) % 26 && q->x[0] == x && q->x[1] == -x && q->s == left * 100 + i &&
              q->id == (int64_t)val(left, 1, k, i) << 20,
          "record %d", i);
    CHECK(((unsigned char*)q)[1] == 0x55, "written between the members");
    got(&q->tag, 1), got(q->x, sizeof q->x), got(&q->s, 2), got(&q->id, 8);
  }
  CHECK(in[6].s == 0x5555, "written past the end");
  OK(MPI_Type_free(&held));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int lengths[] = {1, 2, 1}, places[] = {0, 3, 7};
  MPI_Datatype kept, copy;
  int key, flag, len;
  void* v;
  char name[MPI_MAX_OBJECT_NAME];
  OK(MPI_Type_indexed(3, lengths, places, MPI_INT, &kept));
  OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
  OK(MPI_Type_set_attr(kept, key, &key));
  OK(MPI_Type_set_name(kept, "indexed"));
  for (int k = 0; k < steps; ++k) {
    OK(MPI_Type_dup(kept, &copy));
    OK(MPI_Type_get_attr(copy, key, &v, &flag));
    CHECK(flag && v == &key, "attribute of a duplicate");
    OK(MPI_Type_free(&copy));
    OK(MPI_Type_get_name(kept, name, &len));
    CHECK(strcmp(name, "indexed") == 0, "%s", name);
    attributes(k);
    records(k);
    step(k);
  }
  OK(MPI_Type_free(&kept));
  OK(MPI_Type_free_keyval(&key));
  return finish();
}
