/* Datatypes: attributes with callbacks, names, types freed while in use,
 * nesting, true extents, addresses. */
#include "check.h"

static int copies, deletions;

static int copy_attr(MPI_Datatype t, int key, void *extra, void *in, void *out, int *flag)
{
    (void)t, (void)key;
    *(intptr_t *)out = (intptr_t)in + *(int *)extra;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int delete_attr(MPI_Datatype t, int key, void *value, void *extra)
{
    (void)t, (void)key, (void)extra;
    CHECK((intptr_t)value == 500 || (intptr_t)value == 507, "value %ld", (long)(intptr_t)value);
    deletions++;
    return MPI_SUCCESS;
}

static void attributes(int k)
{
    static int seven = 7;
    MPI_Datatype a, b;
    int key, flag, len;
    void *v;
    char name[MPI_MAX_OBJECT_NAME], want[32];
    copies = deletions = 0;
    OK(MPI_Type_create_keyval(copy_attr, delete_attr, &key, &seven));
    OK(MPI_Type_contiguous(3, MPI_INT, &a));
    OK(MPI_Type_set_attr(a, key, (void *)(intptr_t)500));
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
    CHECK(!strcmp(name, want) && len == (int)strlen(want), "%s", name);
    got(name, (size_t)len);
    OK(MPI_Type_get_name(MPI_DOUBLE, name, &len));
    CHECK(!strcmp(name, "MPI_DOUBLE"), "%s", name);
    OK(MPI_Type_free(&a));
    OK(MPI_Type_free(&b));
    CHECK(b == MPI_DATATYPE_NULL && deletions == 2, "%d deletions", deletions);
}

typedef struct { char tag; double x[2]; short s; int64_t id; } Record;

static void records(int k)              /* a type freed with a message under way */
{
    Record out[8], in[8];
    int lengths[] = {1, 2, 1, 1}, n, elements, right = (rank + 1) % size, left = (rank + size - 1) % size;
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
    for (int i = 0; i < 4; i++)
        at[i] = MPI_Aint_diff(at[i], base);
    OK(MPI_Type_create_struct(4, lengths, at, parts, &raw));
    OK(MPI_Type_create_resized(raw, 0, sizeof(Record), &type));
    OK(MPI_Type_contiguous(2, type, &two));
    OK(MPI_Type_commit(&two));
    OK(MPI_Type_get_extent(two, &lb, &extent));
    CHECK(lb == 0 && extent == 2 * (MPI_Aint)sizeof(Record), "extent %ld", (long)extent);
    OK(MPI_Type_get_true_extent(raw, &lb, &extent));
    CHECK(lb == 0 && extent == (MPI_Aint)(offsetof(Record, id) + 8), "true extent %ld", (long)extent);
    for (int i = 0; i < 8; i++) {
        out[i].tag = (char)('a' + (rank + k + i) % 26);
        out[i].x[0] = val(rank, 0, k, i) / 8.0;
        out[i].x[1] = -out[i].x[0];
        out[i].s = (short)(rank * 100 + i);
        out[i].id = (int64_t)val(rank, 1, k, i) << 20;
    }
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
    for (int i = 0; i < 6; i++) {
        Record *q = &in[i];
        double x = val(left, 0, k, i) / 8.0;
        CHECK(q->tag == 'a' + (left + k + i) % 26 && q->x[0] == x && q->x[1] == -x && q->s == left * 100 + i
              && q->id == (int64_t)val(left, 1, k, i) << 20, "record %d", i);
        CHECK(((unsigned char *)q)[1] == 0x55, "written between the members");
        got(&q->tag, 1), got(q->x, sizeof q->x), got(&q->s, 2), got(&q->id, 8);
    }
    CHECK(in[6].s == 0x5555, "written past the end");
    OK(MPI_Type_free(&held));
}

int main(int argc, char **argv)
{
    start(&argc, &argv, MPI_THREAD_SINGLE);
    for (int k = 0; k < steps; k++)
        attributes(k), records(k), step(k, steps);
    return finish();
}
