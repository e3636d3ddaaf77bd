// Sessions (MPI-4.0, chapter 11.3): two of them in a program without MPI_Init, one that lives across the steps and one that
// is made in each; process sets, groups and communicators from them, also between groups.
#include "check.h"

#if MPI_VERSION < 4
int main(int argc, char** argv) {       // there are none: a program that has nothing to do
  begin(&argc, &argv);
  return finish();
}
#else

static int handled;
static MPI_Session kept;
static MPI_Comm all;                     // what MPI_COMM_WORLD is in other programs

static void on_error(MPI_Session* session, int* code, ...) {
  ++handled;
  CHECK(*session == kept && class_of(*code) == MPI_ERR_ARG, "%d", *code);
}

static MPI_Comm comm_of(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group;
  MPI_Comm made;
  OK(MPI_Group_from_session_pset(session, set, &group));
  OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
  OK(MPI_Group_free(&group));
  return made;
}

static void process_sets(MPI_Session session) {
  int sets, length, found = 0;
  OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets));
  CHECK(sets >= 2, "%d", sets);
  for (int i = 0; i < sets; ++i) {
    char name[MPI_MAX_PSET_NAME_LEN] = "";
    length = 0;
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL));
    CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN, "%d", length);
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
    if (strcmp(name, "mpi://WORLD") != 0 && strcmp(name, "mpi://SELF") != 0) continue;
    ++found;
    MPI_Info info;
    MPI_Group group;
    char text[16] = "";
    int there = 0, size = 0;
    OK(MPI_Session_get_pset_info(session, name, &info));
    OK(MPI_Info_get(info, "mpi_size", (int)sizeof text - 1, text, &there));
    OK(MPI_Group_from_session_pset(session, name, &group));
    OK(MPI_Group_size(group, &size));
    CHECK(there && atoi(text) == size && size == (name[6] == 'S' ? 1 : ranks), "%s: %s, %d", name, text, size);
    OK(MPI_Group_free(&group));
    OK(MPI_Info_free(&info));
  }
  CHECK(found == 2, "%d", found);
}

/// The even ranks and the odd ones, by groups alone.
static void between(int k) {
  MPI_Group world, mine, other;
  MPI_Comm joined;
  char tag[32];
  int n = 0, m = 0, even[ranks], odd[ranks], is_inter, remote, value = val(me, 0, k, 1), sum = 0, want = 0;
  for (int r = 0; r < ranks; ++r) *(r % 2 == 0 ? &even[n++] : &odd[m++]) = r;
  OK(MPI_Comm_group(all, &world));
  OK(MPI_Group_incl(world, me % 2 == 0 ? n : m, me % 2 == 0 ? even : odd, &mine));
  OK(MPI_Group_incl(world, me % 2 == 0 ? m : n, me % 2 == 0 ? odd : even, &other));
  snprintf(tag, sizeof tag, "halves in step %d", k);
  OK(MPI_Intercomm_create_from_groups(mine, 0, other, 0, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &joined));
  OK(MPI_Comm_test_inter(joined, &is_inter));
  OK(MPI_Comm_remote_size(joined, &remote));
  CHECK(is_inter && remote == (me % 2 == 0 ? m : n), "%d", remote);
  OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_BXOR, joined));
  for (int r = 1 - me % 2; r < ranks; r += 2) want ^= val(r, 0, k, 1);
  CHECK(sum == want, "%d, not %d", sum, want);
  got_int(sum);
  OK(MPI_Comm_free(&joined));
  OK(MPI_Group_free(&mine));
  OK(MPI_Group_free(&other));
  OK(MPI_Group_free(&world));
}

static void communicate(MPI_Comm comm, int k) {
  int size, rank, v[2], sum = 0, want = 0;
  OK(MPI_Comm_size(comm, &size));
  OK(MPI_Comm_rank(comm, &rank));
  fill(v, 2, rank, (rank + 1) % size, k);
  OK(MPI_Sendrecv_replace(v, 2, MPI_INT, (rank + 1) % size, 3, (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE));
  SAME(v, 2, (rank + size - 1) % size, rank, k);
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  for (int r = 0; r < size; ++r) want += r;
  CHECK(sum == want, "%d", sum);
}

int main(int argc, char** argv) {
  MPI_Errhandler counting;
  if (argc > 1) steps = atoi(argv[1]);
  if (argc > 2) pause_ms = atoi(argv[2]);
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &kept));
  all = comm_of(kept, "mpi://WORLD", "all");
  OK(MPI_Comm_rank(all, &me));
  OK(MPI_Comm_size(all, &ranks));
  OK(MPI_Session_create_errhandler(on_error, &counting));
  OK(MPI_Session_set_errhandler(kept, counting));
  for (int k = 0; k < steps; ++k) {
    MPI_Session brief;
    MPI_Comm alone, others;
    char tag[32];
    snprintf(tag, sizeof tag, "step %d", k);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &brief));
    others = comm_of(brief, "mpi://WORLD", tag);
    alone = comm_of(brief, "mpi://SELF", tag);
    process_sets(k % 2 == 0 ? brief : kept);
    communicate(all, k);
    communicate(others, k);
    communicate(alone, k);
    if (ranks > 1) between(k);
    OK(MPI_Comm_free(&alone));
    OK(MPI_Comm_free(&others));
    OK(MPI_Session_finalize(&brief));
    CHECK(brief == MPI_SESSION_NULL, "finalized");
    handled = 0;
    OK(MPI_Session_call_errhandler(kept, MPI_ERR_ARG));
    CHECK(handled == 1, "%d", handled);
    step(k);
  }
  int initialized = 1, any = 0;
  OK(MPI_Initialized(&initialized));
  CHECK(!initialized, "MPI_Init was never called");
  const uint64_t mine = fnv(hash, &me, sizeof me);
  uint64_t sum = 0;
  OK(MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_BXOR, 0, all));
  OK(MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, all));
  if (me == 0) printf("checksum %016llx\n", (unsigned long long)sum), fflush(stdout);
  OK(MPI_Errhandler_free(&counting));
  OK(MPI_Comm_free(&all));
  OK(MPI_Session_finalize(&kept));
  return any != 0;
}
#endif
