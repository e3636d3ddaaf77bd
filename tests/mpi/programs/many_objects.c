// Many live communicators and datatypes, of which each step frees some, makes others and uses a few; in the end all are
// used. Arguments after check.h's: COMMUNICATORS [DATATYPES]. MPICH 4.0 can have about 2000 of the former at once.
#include "check.h"

enum { replaced = 2, length = 12 };     // objects of each kind that a step replaces; ints of a message
static int comms = 100, types = 2000;
static MPI_Comm* comm;
static MPI_Datatype* type;

static MPI_Comm make_comm(int i) {
  MPI_Comm made = MPI_COMM_NULL;
  const int period = 1;
  switch (i % 8) {
    case 5: OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &made)); break;      // the ranks in reverse
    case 6: OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &made)); break;
    case 7: OK(MPI_Comm_dup(MPI_COMM_SELF, &made)); break;
    default: OK(MPI_Comm_dup(MPI_COMM_WORLD, &made));
  }
  return made;
}

/// One of type_ints(i) ints. Nested ones are of the one before.
static MPI_Datatype make_type(int i) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int lengths[] = {1, 2};
  const MPI_Aint places[] = {0, 3 * sizeof(int)};
  const MPI_Datatype kinds[] = {MPI_INT, MPI_INT};
  switch (i % 4) {
    case 0: OK(MPI_Type_contiguous(3, MPI_INT, &made)); break;
    case 1: OK(MPI_Type_vector(2, 1, 1 + i % 8, MPI_INT, &made)); break;
    case 2: OK(MPI_Type_create_struct(2, lengths, places, kinds, &made)); break;
    case 3: OK(MPI_Type_contiguous(2, type[i - 1], &made)); break;
  }
  OK(MPI_Type_commit(&made));
  return made;
}
static int type_ints(int i) { return (int[]){3, 2, 3, 6}[i % 4]; }

/// A ring on the communicator, of messages that say which one it is.
static void use_comm(int i, int k) {
  int rank, size, other[2] = {-1, -1};
  OK(MPI_Comm_rank(comm[i], &rank));
  OK(MPI_Comm_size(comm[i], &size));
  const int mine[2] = {rank, i};
  OK(MPI_Sendrecv(mine, 2, MPI_INT, (rank + 1) % size, 7, other, 2, MPI_INT, (rank + size - 1) % size, 7, comm[i],
                  MPI_STATUS_IGNORE));
  CHECK(other[0] == (rank + size - 1) % size && other[1] == i, "%d, %d on %d, step %d", other[0], other[1], i, k);
  got(other, sizeof other);
}

/// A message of the datatype to the process itself, received as plain ints.
static void use_type(int i, int k) {
  int out[length], in[length] = {0}, n = -1;
  fill(out, length, me, i, k);
  MPI_Status status;
  OK(MPI_Sendrecv(out, 1, type[i], me, 8, in, length, MPI_INT, me, 8, MPI_COMM_WORLD, &status));
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == type_ints(i), "%d ints of datatype %d, step %d", n, i, k);
  got(in, sizeof in);
}

static void replace(int i, int j) {
  OK(MPI_Comm_free(&comm[i]));
  comm[i] = make_comm(i);
  OK(MPI_Type_free(&type[j]));
  type[j] = make_type(j);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc > 3) comms = atoi(argv[3]);
  if (argc > 4) types = atoi(argv[4]);
  comm = malloc((size_t)comms * sizeof *comm);
  type = malloc((size_t)types * sizeof *type);
  for (int i = 0; i < comms; ++i) comm[i] = make_comm(i);
  for (int j = 0; j < types; ++j) type[j] = make_type(j);
  for (int k = 0; k < steps; ++k) {
    for (int x = 0; x < replaced; ++x) {
      const int i = val(1, 1, k, x) % comms, j = val(1, 2, k, x) % types;
      replace(i, j);
      use_comm(i, k);
      use_type(j, k);
      use_comm(val(1, 3, k, x) % comms, k);
      use_type(val(1, 4, k, x) % types, k);
    }
    step(k);
  }
  for (int i = 0; i < comms; ++i) {
    use_comm(i, steps);
    OK(MPI_Comm_free(&comm[i]));
  }
  for (int j = 0; j < types; ++j) {
    use_type(j, steps);
    OK(MPI_Type_free(&type[j]));
  }
  free(type);
  free(comm);
  return finish();
}
