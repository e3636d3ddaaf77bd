// What windows are beside their memory: made and freed in a loop, with attributes, names, information, error handlers and
// groups; several over one memory; as integers of Fortran.
#include "alone.h"

enum { most = 64, lasting = 4 };
static int memory[most] FOR_A_WINDOW;
static MPI_Win lasts[lasting];           // over one memory, made and freed in turn
static int keyval, copies, deletes, handled;
static MPI_Errhandler handler;

static int delete_attribute(MPI_Win w, int key, void* value, void* extra) {
  (void)w, (void)key;
  CHECK(extra == memory && (intptr_t)value > 0);
  ++deletes;
  return MPI_SUCCESS;
}
static void handle_error(MPI_Win* w, int* code, ...) {
  CHECK(*w != MPI_WIN_NULL && *code != MPI_SUCCESS);
  ++handled;
}

static void predefined(MPI_Win w, void* base, MPI_Aint size, int unit, int flavor) {
  void* found = NULL;
  int flag = 0;
  OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &found, &flag));
  CHECK(flag && found == base);
  OK(MPI_Win_get_attr(w, MPI_WIN_SIZE, &found, &flag));
  CHECK(flag && *(MPI_Aint*)found == size, "%ld", (long)*(MPI_Aint*)found);
  OK(MPI_Win_get_attr(w, MPI_WIN_DISP_UNIT, &found, &flag));
  CHECK(flag && *(int*)found == unit, "%d", *(int*)found);
  OK(MPI_Win_get_attr(w, MPI_WIN_CREATE_FLAVOR, &found, &flag));
  CHECK(flag && *(int*)found == flavor, "%d", *(int*)found);
  OK(MPI_Win_get_attr(w, MPI_WIN_MODEL, &found, &flag));
  CHECK(flag && (*(int*)found == MPI_WIN_UNIFIED || *(int*)found == MPI_WIN_SEPARATE), "%d", *(int*)found);
}

static void group_of(MPI_Win w) {
  MPI_Group of_window, of_world;
  int how;
  OK(MPI_Win_get_group(w, &of_window));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &of_world));
  OK(MPI_Group_compare(of_window, of_world, &how));
  CHECK(how == MPI_IDENT);
  OK(MPI_Group_free(&of_window));
  OK(MPI_Group_free(&of_world));
}

/// What was given to it in step `k`, in any step after.
static void dress(MPI_Win w, int k) {
  char name[MPI_MAX_OBJECT_NAME];
  snprintf(name, sizeof name, "window of step %d", k);
  OK(MPI_Win_set_name(w, name));
  OK(MPI_Win_set_attr(w, keyval, (void*)(intptr_t)(k + 1)));
  OK(MPI_Win_set_errhandler(w, k % 2 ? handler : MPI_ERRORS_RETURN));
}
static void is_dressed(MPI_Win w, int k) {
  char name[MPI_MAX_OBJECT_NAME], expected[MPI_MAX_OBJECT_NAME];
  int length, flag;
  void* value;
  MPI_Errhandler found;
  snprintf(expected, sizeof expected, "window of step %d", k);
  OK(MPI_Win_get_name(w, name, &length));
  CHECK(strcmp(name, expected) == 0 && length == (int)strlen(expected), "%s", name);
  OK(MPI_Win_get_attr(w, keyval, &value, &flag));
  CHECK(flag && (intptr_t)value == k + 1);
  OK(MPI_Win_get_errhandler(w, &found));
  CHECK(found == (k % 2 ? handler : MPI_ERRORS_RETURN));
  if (k % 2) OK(MPI_Errhandler_free(&found));
  const int before = handled;
  CHECK(MPI_Win_call_errhandler(w, MPI_ERR_OTHER) == MPI_SUCCESS);
  CHECK(handled == before + k % 2);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(w)) == w);
  got(name, (size_t)length);
}

/// Each lives for `lasting` steps, over one memory with the others.
static void replace(int k) {
  MPI_Win* const w = &lasts[k % lasting];
  if (k >= lasting) {
    is_dressed(*w, k - lasting);
    const int before = deletes;
    OK(MPI_Win_free(w));
    CHECK(*w == MPI_WIN_NULL && deletes == before + 1);
  }
  *w = create_window(memory, sizeof memory, sizeof(int));
  dress(*w, k);
  predefined(*w, memory, sizeof memory, sizeof(int), MPI_WIN_FLAVOR_CREATE);
}

/// Through one, seen through another.
static void one_memory(int k) {
  int x = val(me, right, k, 0), y = -1;
  const MPI_Win a = lasts[k % lasting], b = lasts[k < lasting ? 0 : (k + 1) % lasting];
  OK(MPI_Win_fence(0, a));
  OK(MPI_Put(&x, 1, MPI_INT, right, k % most, 1, MPI_INT, a));
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, a));
  OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, b));
  OK(MPI_Get(&y, 1, MPI_INT, right, k % most, 1, MPI_INT, b));
  OK(MPI_Win_unlock(right, b));
  CHECK(x == y && memory[k % most] == val(left, me, k, 0), "%d and %d, step %d", x, y, k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// Of every flavor, with information, and of no bytes.
static void for_a_moment(int k) {
  MPI_Win w;
  MPI_Info info, of_window;
  void* base = NULL;
  char value[64];
  int flag;
  const MPI_Aint size = k % 3 ? 16 * (me + 1) : 0;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "no_locks", "true"));
  OK(MPI_Info_set(info, "same_disp_unit", "true"));
  switch (k % 3) {
    case 0: OK(MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &w)); break;
    case 1: OK(MPI_Win_allocate(size, 4, info, MPI_COMM_WORLD, &base, &w)); break;
    case 2: OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &w)); break;
  }
  OK(MPI_Info_free(&info));
  if (k % 3 == 1) predefined(w, base, size, 4, MPI_WIN_FLAVOR_ALLOCATE);
  if (k % 3 == 2) predefined(w, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  OK(MPI_Win_get_info(w, &of_window));
  OK(MPI_Info_get(of_window, "no_locks", 63, value, &flag));
  CHECK(!flag || strcmp(value, "true") == 0 || strcmp(value, "false") == 0, "%s", value);
  OK(MPI_Info_free(&of_window));
  group_of(w);
  OK(MPI_Win_fence(0, w));
  OK(MPI_Win_fence(0, w));
  OK(MPI_Win_free(&w));
}

/// Since MPI-4.1 every window with memory has it, and tells at least of this rank's own. Before, it may be an error.
static void query(int k) {
  MPI_Win w;
  void *base, *found = NULL;
  MPI_Aint size = -1;
  int unit = -1;
  OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
  OK(MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN));
  if (MPI_Win_shared_query(w, me, &size, &unit, &found) == MPI_SUCCESS)
    CHECK(found == base && size == 64 && unit == 4, "step %d", k);
  OK(MPI_Win_free(&w));
}

static void memory_of_mpi(int k) {
  int* a;
  OK(MPI_Alloc_mem((MPI_Aint)sizeof(int) * (100 + k), MPI_INFO_NULL, &a));
  fill(a, 100, me, me, k);
  MPI_Win w = create_window(a, sizeof(int) * 100, sizeof(int));
  int y = -1;
  OK(MPI_Win_fence(0, w));
  OK(MPI_Get(&y, 1, MPI_INT, left, 99, 1, MPI_INT, w));
  OK(MPI_Win_fence(0, w));
  CHECK(y == val(left, left, k, 99), "step %d", k);
  OK(MPI_Win_free(&w));
  OK(MPI_Free_mem(a));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  begin_alone();
  OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &keyval, memory));
  OK(MPI_Win_create_errhandler(handle_error, &handler));
  for (int k = 0; k < steps; ++k) {
    replace(k);
    step(k);
    is_dressed(lasts[k % lasting], k);
    one_memory(k);
    for_a_moment(k);
    memory_of_mpi(k);
    query(k);
    use_alone(k);
  }
  for (int i = 0; i < lasting && i < steps; ++i) OK(MPI_Win_free(&lasts[i]));
  OK(MPI_Win_free_keyval(&keyval));
  OK(MPI_Errhandler_free(&handler));
  CHECK(keyval == MPI_KEYVAL_INVALID && deletes == steps, "%d, %d", deletes, copies);
  end_alone();
  return finish();
}
