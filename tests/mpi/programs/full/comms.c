/* Communicators: all ways to make them, groups, compare (see comm_callbacks.c, cart.c). */
#include "check.h"

static void sum_on(MPI_Comm c, int k)   /* the communicator works and is what it says */
{
    int me, p, v, s;
    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &p);
    v = me * 3 + k;
    OK(MPI_Allreduce(&v, &s, 1, MPI_INT, MPI_SUM, c));
    CHECK(s == 3 * p * (p - 1) / 2 + k * p, "sum %d over %d ranks", s, p);
    got_int(s);
}

static void compared(MPI_Comm c, int want)
{
    int r;
    OK(MPI_Comm_compare(MPI_COMM_WORLD, c, &r));
    CHECK(r == want, "%d not %d", r, want);
}

static void makers(int k)
{
    MPI_Comm dup, idup, info_dup, halves, node, made, group_made, back, none;
    MPI_Request r;
    MPI_Info info;
    MPI_Group world, evens, rev;
    int ranks[64], n = 0, me, inter, len, range[1][3] = {{size - 1, 0, -1}};
    char name[MPI_MAX_OBJECT_NAME], want[64];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_idup(dup, &idup, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "test_key", "test value"));
    OK(MPI_Comm_dup_with_info(dup, info, &info_dup));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_split(dup, rank % 2, -rank, &halves));
    OK(MPI_Comm_split(dup, rank == 0 ? MPI_UNDEFINED : 1, rank, &none));
    CHECK((none == MPI_COMM_NULL) == (rank == 0), "split with MPI_UNDEFINED");
    OK(MPI_Comm_split_type(dup, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_group(dup, &world);
    for (int i = 0; i < size; i += 2)
        ranks[n++] = i;
    MPI_Group_incl(world, n, ranks, &evens);
    MPI_Group_range_incl(world, 1, range, &rev);
    OK(MPI_Comm_create(dup, evens, &made));
    CHECK((made == MPI_COMM_NULL) == (rank % 2 == 1), "create");
    group_made = MPI_COMM_NULL;
    if (rank % 2 == 0)
        OK(MPI_Comm_create_group(dup, evens, k, &group_made));
    OK(MPI_Comm_create(dup, rev, &back));
    MPI_Comm_rank(back, &me);
    CHECK(me == size - 1 - rank, "%d in the reversed communicator", me);
    MPI_Comm_rank(halves, &me);         /* higher ranks first */
    CHECK(me == (size - 1 - rank) / 2, "%d among the halves", me);
    compared(MPI_COMM_WORLD, MPI_IDENT);
    compared(dup, MPI_CONGRUENT);
    compared(idup, MPI_CONGRUENT);
    compared(back, size > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
    compared(halves, size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT);
    OK(MPI_Comm_test_inter(dup, &inter));
    CHECK(!inter, "an intercommunicator");
    snprintf(want, sizeof want, "made at step %d", k);
    OK(MPI_Comm_set_name(dup, want));
    OK(MPI_Comm_get_name(dup, name, &len));
    CHECK(!strcmp(name, want) && len == (int)strlen(want), "%s", name);
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &len));
    CHECK(!strcmp(name, "MPI_COMM_WORLD"), "%s", name);
    MPI_Comm all[] = {dup, idup, info_dup, halves, node, back, none, made, group_made};
    for (int i = 0; i < 9; i++)
        if (all[i] != MPI_COMM_NULL) {
            sum_on(all[i], k);
            OK(MPI_Comm_free(&all[i]));
            CHECK(all[i] == MPI_COMM_NULL, "not freed");
        }
    MPI_Group_free(&world), MPI_Group_free(&evens), MPI_Group_free(&rev);
}

static int group_size(MPI_Group g) { int n; OK(MPI_Group_size(g, &n)); return n; }

static void groups(void)
{
    MPI_Group w, low, high, u, in, diff, some, ranged, same_as;
    int half = (size + 1) / 2, ids[64], out[64], r, range[1][3] = {{0, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &w);
    for (int i = 0; i < size; i++)
        ids[i] = i;
    OK(MPI_Group_incl(w, half, ids, &low));
    OK(MPI_Group_excl(w, half, ids, &high));
    OK(MPI_Group_union(high, low, &u));
    OK(MPI_Group_intersection(w, low, &in));
    OK(MPI_Group_difference(w, low, &diff));
    OK(MPI_Group_range_excl(w, 1, range, &some));
    OK(MPI_Group_range_incl(w, 1, range, &ranged));
    OK(MPI_Group_incl(w, size, ids, &same_as));
    CHECK(group_size(w) == size && group_size(low) == half && group_size(high) == size - half, "sizes");
    CHECK(group_size(u) == size && group_size(in) == half && group_size(diff) == size - half, "set sizes");
    CHECK(group_size(some) == size / 2 && group_size(ranged) == (size + 1) / 2, "range sizes");
    OK(MPI_Group_rank(u, &r));
    CHECK(r == (rank < half ? rank + size - half : rank - half), "rank %d in the union", r);
    OK(MPI_Group_rank(low, &r));
    CHECK(r == (rank < half ? rank : MPI_UNDEFINED), "rank %d in the low half", r);
    OK(MPI_Group_translate_ranks(w, size, ids, ranged, out));
    for (int i = 0; i < size; i++) {
        CHECK(out[i] == (i % 2 ? MPI_UNDEFINED : i / 2), "%d is %d", i, out[i]);
        got_int(i % 2 ? -1 : out[i]);
    }
    OK(MPI_Group_compare(w, same_as, &r));
    CHECK(r == MPI_IDENT, "%d", r);
    OK(MPI_Group_compare(w, u, &r));
    CHECK(r == (size > 1 ? MPI_SIMILAR : MPI_IDENT), "%d", r);
    OK(MPI_Group_compare(in, low, &r));
    CHECK(r == MPI_IDENT, "%d", r);
    MPI_Group all[] = {w, low, high, u, in, diff, some, ranged, same_as};
    for (int i = 0; i < 9; i++)
        if (all[i] != MPI_GROUP_EMPTY)
            OK(MPI_Group_free(&all[i]));
}

static void hundred(int k)              /* made and freed, in another order; some inside others */
{
    MPI_Comm c[100];
    for (int i = 0; i < 100; i++)
        if (i % 5 == 0) OK(MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 2, rank, &c[i]));
        else OK(MPI_Comm_dup(i % 5 == 1 ? MPI_COMM_WORLD : c[i - 1], &c[i]));
    for (int i = 0; i < 100; i++) {
        if (i % 10 == k % 10) sum_on(c[i * 37 % 100], i);
        OK(MPI_Comm_free(&c[i * 37 % 100]));
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv, MPI_THREAD_SINGLE);
    for (int k = 0; k < steps; k++) {
        makers(k), groups();
        if (k % 10 == 0) hundred(k);
        step(k, steps);
    }
    return finish();
}
