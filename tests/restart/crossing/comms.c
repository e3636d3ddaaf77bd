// Communicators that were made before the first step keep what was told of them: ranks, sizes, names, topologies, groups,
// attributes, hints. Each step asks all of it again, and sends on each.
#include "../../mpi/programs/check.h"

enum { kinds = 7 };

static MPI_Comm comm[kinds];           // dup, split in reverse, cart, graph, distributed graph, of a group, intercommunicator
static MPI_Comm few;                   // a line of all processes of the group but the last
static MPI_Group group;
static int own_key, own_value = 7;

static int is_inter(int i) { return i == kinds - 1; }

/// Of the even and of the odd ranks.
static void make_inter(void) {
  MPI_Comm half;
  OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half));
  OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 5, &comm[kinds - 1]));
  OK(MPI_Comm_free(&half));
}

static void make(void) {
  const int dims[] = {ranks}, periods[] = {1}, next[] = {(me + 1) % ranks}, before[] = {(me + ranks - 1) % ranks};
  int *index = malloc(sizeof *index * (size_t)ranks), *edges = malloc(sizeof *edges * (size_t)ranks);
  for (int r = 0; r < ranks; ++r) index[r] = r + 1, edges[r] = (r + 1) % ranks;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]));
  OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm[1]));
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm[2]));
  OK(MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm[3]));
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, before, MPI_UNWEIGHTED, 1, next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                    &comm[4]));
  int backwards[1][3] = {{ranks - 1, 0, -1}};
  MPI_Group world;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_range_incl(world, 1, backwards, &group));
  OK(MPI_Group_free(&world));
  OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &comm[5]));
  const int fewer[] = {ranks > 1 ? ranks - 1 : 1};
  OK(MPI_Cart_create(comm[5], 1, fewer, periods, 0, &few));
  make_inter();
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &own_key, NULL));
  for (int i = 0; i < kinds; ++i) {
    char name[MPI_MAX_OBJECT_NAME];
    snprintf(name, sizeof name, "number %d of this program", i);
    OK(MPI_Comm_set_name(comm[i], name));
    OK(MPI_Comm_set_attr(comm[i], own_key, &own_value));
  }
  free(index), free(edges);
}

static void ask(int i) {
  char name[MPI_MAX_OBJECT_NAME], wanted[MPI_MAX_OBJECT_NAME];
  int length, flag, rank, size, topology;
  void* value = NULL;
  snprintf(wanted, sizeof wanted, "number %d of this program", i);
  OK(MPI_Comm_get_name(comm[i], name, &length));
  CHECK(strcmp(name, wanted) == 0, "%s", name);
  OK(MPI_Comm_get_attr(comm[i], own_key, &value, &flag));
  CHECK(flag && value == &own_value, "of %d", i);
  OK(MPI_Comm_test_inter(comm[i], &flag));
  CHECK(flag == is_inter(i), "%d of %d", flag, i);
  OK(MPI_Comm_rank(comm[i], &rank));
  OK(MPI_Comm_size(comm[i], &size));
  const int ours = is_inter(i) ? (ranks + 1 - me % 2) / 2 : ranks;
  const int mine = is_inter(i) ? me / 2 : i == 1 || i == 5 ? ranks - 1 - me : me;
  CHECK(rank == mine && size == ours, "rank %d of %d in %d", rank, size, i);
  if (is_inter(i)) return;
  OK(MPI_Topo_test(comm[i], &topology));
  CHECK(topology == (i == 2 ? MPI_CART : i == 3 ? MPI_GRAPH : i == 4 ? MPI_DIST_GRAPH : MPI_UNDEFINED), "%d of %d", topology, i);
}

static void ask_topologies(void) {
  int dims, period, place, source, target, n, other, weighted, neighbour;
  OK(MPI_Cart_get(comm[2], 1, &dims, &period, &place));
  CHECK(dims == ranks && period == 1 && place == me, "%d, %d, %d", dims, period, place);
  OK(MPI_Cart_shift(comm[2], 0, 1, &source, &target));
  CHECK(target == (me + 1) % ranks && source == (me + ranks - 1) % ranks, "%d, %d", source, target);
  OK(MPI_Graph_neighbors_count(comm[3], me, &n));
  OK(MPI_Graph_neighbors(comm[3], me, 1, &neighbour));
  CHECK(n == 1 && neighbour == (me + 1) % ranks, "%d, %d", n, neighbour);
  OK(MPI_Dist_graph_neighbors_count(comm[4], &n, &other, &weighted));
  CHECK(n == 1 && other == 1 && !weighted, "%d, %d, %d", n, other, weighted);
  OK(MPI_Group_size(group, &n));
  OK(MPI_Group_rank(group, &other));
  CHECK(n == ranks && other == ranks - 1 - me, "%d, %d", n, other);
  MPI_Group again;
  OK(MPI_Comm_group(comm[5], &again));
  OK(MPI_Group_compare(again, group, &n));
  CHECK(n == MPI_IDENT, "%d", n);
  OK(MPI_Group_free(&again));
  OK(MPI_Comm_compare(comm[0], MPI_COMM_WORLD, &n));
  CHECK(n == MPI_CONGRUENT, "%d", n);
  OK(MPI_Comm_compare(comm[1], MPI_COMM_WORLD, &n));
  CHECK(n == (ranks == 1 ? MPI_CONGRUENT : MPI_SIMILAR), "%d", n);
}

/// The group of MPICH 5.0.2's has one member too many.
static void ask_few(void) {
  int rank, size;
  CHECK((few == MPI_COMM_NULL) == (me == 0 && ranks > 1), "rank %d", me);
  if (few == MPI_COMM_NULL) return;
  OK(MPI_Comm_rank(few, &rank));
  OK(MPI_Comm_size(few, &size));
  CHECK(rank == ranks - 1 - me && size == (ranks > 1 ? ranks - 1 : 1), "%d of %d", rank, size);
}

/// A ring, or between the groups; and a sum.
static void use(int i, int k) {
  int rank, size, remote, sum = 0, out[3], in[3] = {0};
  OK(MPI_Comm_rank(comm[i], &rank));
  OK(MPI_Comm_size(comm[i], &size));
  if (is_inter(i)) {
    OK(MPI_Comm_remote_size(comm[i], &remote));
    if (rank < remote) {
      fill(out, 3, me % 2, rank, k);
      OK(MPI_Sendrecv(out, 3, MPI_INT, rank, i, in, 3, MPI_INT, rank, i, comm[i], MPI_STATUS_IGNORE));
      SAME(in, 3, 1 - me % 2, rank, k);
    }
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[i]));
    CHECK(sum == remote * (remote - 1) / 2, "%d", sum);
    return;
  }
  fill(out, 3, rank, (rank + 1) % size, k);
  OK(MPI_Sendrecv(out, 3, MPI_INT, (rank + 1) % size, i, in, 3, MPI_INT, (rank + size - 1) % size, i, comm[i],
                  MPI_STATUS_IGNORE));
  SAME(in, 3, (rank + size - 1) % size, rank, k);
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[i]));
  CHECK(sum == size * (size - 1) / 2, "%d", sum);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make();
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < kinds; ++i) ask(i), use(i, k);
    ask_topologies();
    ask_few();
    step(k);
  }
  for (int i = 0; i < kinds; ++i) OK(MPI_Comm_free(&comm[i]));
  if (few != MPI_COMM_NULL) OK(MPI_Comm_free(&few));
  OK(MPI_Group_free(&group));
  OK(MPI_Comm_free_keyval(&own_key));
  return finish();
}
