// Communicators, groups, attributes, names, error handlers, info and cartesian topologies; all of them live across the
// steps, so that a restart has to build them again.
#include "check.h"

static int copied, deleted, handled;

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}
static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  int mpi_class = 0;
  MPI_Error_class(*code, &mpi_class);
  CHECK(mpi_class == MPI_ERR_RANK);
  ++handled;
}

static void use(MPI_Comm comm, int k) {
  int r, n, sum = 0;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &n);
  const int x = r * k + 1;
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == n * (n - 1) / 2 * k + n);
  int in = -1, out = r + k;
  MPI_Sendrecv(&out, 1, MPI_INT, (r + 1) % n, 3, &in, 1, MPI_INT, (r + n - 1) % n, 3, comm, MPI_STATUS_IGNORE);
  CHECK(in == (r + n - 1) % n + k);
  MIX(in);
}

static void groups(void) {
  MPI_Group world, some, other, made;
  int n, r, result, first[1] = {0}, last[1] = {ranks - 1}, out[1], range[1][3] = {{ranks - 1, 0, -1}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, first, &some);
  MPI_Group_excl(world, 1, first, &other);
  MPI_Group_union(other, some, &made);
  MPI_Group_size(made, &n);
  CHECK(n == ranks);
  MPI_Group_compare(made, world, &result);
  CHECK(result == (ranks == 1 ? MPI_IDENT : MPI_SIMILAR));
  MPI_Group_translate_ranks(world, 1, last, made, out);
  CHECK(out[0] == (ranks == 1 ? 0 : ranks - 2));
  MPI_Group_free(&made);
  MPI_Group_intersection(some, other, &made);
  CHECK(made == MPI_GROUP_EMPTY);
  MPI_Group_range_incl(world, 1, range, &made);
  MPI_Group_rank(made, &r);
  CHECK(r == ranks - 1 - me);
  MPI_Group_free(&made);
  MPI_Group_difference(world, other, &made);
  MPI_Group_size(made, &n);
  CHECK(n == 1);
  MPI_Group_free(&made);
  MPI_Group_range_excl(world, 1, range, &made);
  MPI_Group_size(made, &n);
  CHECK(n == 0);
  MPI_Group_free(&some);
  if (other != MPI_GROUP_EMPTY) MPI_Group_free(&other);
  MPI_Group_free(&world);
}

static void cartesian(MPI_Comm grid, MPI_Comm row, int k) {
  int dims[2], periods[2], at[2], r, source, dest, n, kind;
  MPI_Cart_get(grid, 2, dims, periods, at);
  CHECK(dims[0] * dims[1] == ranks && periods[0] == 1 && periods[1] == 0);
  MPI_Cart_rank(grid, at, &r);
  CHECK(r == me);
  MPI_Cart_coords(grid, me, 2, at);
  MPI_Cart_shift(grid, 0, 1, &source, &dest);
  int in = -1;
  const int out = me + k;
  MPI_Sendrecv(&out, 1, MPI_INT, dest, 5, &in, 1, MPI_INT, source, 5, grid, MPI_STATUS_IGNORE);
  CHECK(in == source + k);
  MPI_Cart_shift(grid, 1, 1, &source, &dest);
  CHECK(at[1] != 0 || source == MPI_PROC_NULL);
  MPI_Comm_size(row, &n);
  CHECK(n == dims[1]);
  MPI_Topo_test(grid, &kind);
  CHECK(kind == MPI_CART);
  MPI_Cartdim_get(row, &n);
  CHECK(n == 1);
  int around[4] = {-1, -1, -1, -1};
  MPI_Neighbor_allgather(&me, 1, MPI_INT, around, 1, MPI_INT, grid);
  MPI_Cart_shift(grid, 0, 1, &source, &dest);
  CHECK(around[0] == source && around[1] == dest);
  use(row, k);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv);
  MPI_Comm dup, half, shared, created, grouped, idup, hinted, grid, row;
  MPI_Request r;
  MPI_Group world, evens;
  MPI_Info info, got;
  MPI_Errhandler handler;
  int key, flag, dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, even[16], evens_n = 0, result;
  void* value = NULL;
  static char base[64];
  char name[MPI_MAX_OBJECT_NAME], text[64];

  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, base);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_get_attr(dup, key, &value, &flag);
  CHECK(flag && value == base + 1 && copied == 1);
  MPI_Comm_set_name(dup, "a copy");
  MPI_Comm_split(MPI_COMM_WORLD, me % 2 ? 5 : 7, ranks - me, &half);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int i = 0; i < ranks; i += 2) even[evens_n++] = i;
  MPI_Group_incl(world, evens_n, even, &evens);
  MPI_Comm_create(MPI_COMM_WORLD, evens, &created);
  CHECK((created == MPI_COMM_NULL) == (me % 2 == 1));
  grouped = MPI_COMM_NULL;
  if (me % 2 == 0) MPI_Comm_create_group(MPI_COMM_WORLD, evens, 4, &grouped);
  MPI_Comm_idup(half, &idup, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Info_create(&info);
  MPI_Info_set(info, "a_key", "a value");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hinted);
  MPI_Comm_compare(dup, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_compare(half, MPI_COMM_WORLD, &result);
  CHECK(result == (ranks == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(dup, handler);

  for (int k = 0; k < n; ++k) {
    use(dup, k);
    use(half, k);
    use(shared, k);
    if (created != MPI_COMM_NULL) use(created, k), use(grouped, k);
    use(idup, k);
    use(hinted, k);
    cartesian(grid, row, k);
    groups();
    MPI_Comm_get_name(dup, name, &result);
    CHECK(strcmp(name, "a copy") == 0);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    CHECK(flag && value == base + 1);
    MPI_Info_get(info, "a_key", 63, text, &flag);
    CHECK(flag && strcmp(text, "a value") == 0);
    MPI_Comm_get_info(hinted, &got);
    MPI_Info_free(&got);
    handled = 0;
    CHECK(MPI_Send(&k, 1, MPI_INT, ranks + 5, 0, dup) != MPI_SUCCESS || handled == 1);
    MPI_Comm passing;
    for (int i = 0; i < 4; ++i) {
      MPI_Comm_split(half, i % 2, 0, &passing);
      use(passing, k + i);
      MPI_Comm_free(&passing);
      CHECK(passing == MPI_COMM_NULL);
    }
    step(k, n, argc, argv);
  }
  deleted = 0;
  MPI_Comm_free(&dup);
  CHECK(deleted == 1);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  CHECK(deleted == 2);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
  return finish();
}
