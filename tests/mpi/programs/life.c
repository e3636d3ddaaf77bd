// What may be called before MPI_Init and after MPI_Finalize, attributes whose callbacks run in MPI_Finalize, the order
// in which callbacks run, and the predefined attributes at every step.
#include "check.h"

static void before(void) {
  int yes = 1, version, subversion, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  CHECK(MPI_Initialized(&yes) == MPI_SUCCESS && !yes);
  CHECK(MPI_Finalized(&yes) == MPI_SUCCESS && !yes);
  CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == MPI_VERSION);
  CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length > 0);
}

static void after(void) {
  int yes = 0, version, subversion, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  CHECK(MPI_Initialized(&yes) == MPI_SUCCESS && yes);
  CHECK(MPI_Finalized(&yes) == MPI_SUCCESS && yes);
  CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == MPI_VERSION);
  CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length > 0);
}

// Attributes: callbacks write down the number that their key was created with.
static char order[64];
static int still_initialized;

static void note(char what) {
  const size_t n = strlen(order);
  if (n + 1 < sizeof order) order[n] = what, order[n + 1] = 0;
}

static int on_copy(MPI_Comm comm, int key, void* extra, void* value, void* out, int* flag) {
  (void)comm, (void)key;
  note((char)('A' + *(char*)extra));
  *(void**)out = (char*)value + 1;
  *flag = *(char*)extra != 2;                    // the third is not inherited
  return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value;
  note((char)('a' + *(char*)extra));
  if (comm == MPI_COMM_SELF) {                   // in MPI_Finalize: MPI works, it is not yet finalized
    int finalized = 1, sum = 0, one = 1;
    MPI_Finalized(&finalized);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    still_initialized += !finalized && sum == 1;
  }
  return MPI_SUCCESS;
}

static void attributes(int k) {
  static char numbers[3] = {0, 1, 2}, values[8];
  int keys[3], flag = 0;
  void* found = NULL;
  MPI_Comm one, two;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Comm_create_keyval(on_copy, on_delete, &keys[i], &numbers[i]));
    OK(MPI_Comm_set_attr(one, keys[i], &values[i]));
  }
  order[0] = 0;
  OK(MPI_Comm_dup(one, &two));
  CHECK(strlen(order) == 3 && strchr(order, 'A') && strchr(order, 'B') && strchr(order, 'C'), "%s", order);
  OK(MPI_Comm_get_attr(two, keys[0], &found, &flag));
  CHECK(flag && found == &values[1]);
  OK(MPI_Comm_get_attr(two, keys[2], &found, &flag));
  CHECK(!flag);
  order[0] = 0;
  OK(MPI_Comm_set_attr(two, keys[0], &values[5]));       // deletes the old value
  CHECK(strcmp(order, "a") == 0, "%s", order);
  order[0] = 0;
  OK(MPI_Comm_delete_attr(two, keys[0]));
  CHECK(strcmp(order, "a") == 0, "%s", order);
  int freed = keys[1];
  OK(MPI_Comm_free_keyval(&freed));                      // lives on while it has attributes
  CHECK(freed == MPI_KEYVAL_INVALID);
  order[0] = 0;
  OK(MPI_Comm_free(&two));
  CHECK(strcmp(order, "b") == 0, "%s", order);
  order[0] = 0;
  OK(MPI_Comm_free(&one));
  CHECK(strlen(order) == 3 && strchr(order, 'a') && strchr(order, 'b') && strchr(order, 'c'), "%s", order);
  OK(MPI_Comm_free_keyval(&keys[0]));
  OK(MPI_Comm_free_keyval(&keys[2]));
  got_int(k);
}

/// Their values, and the addresses that the program was given, hold for the whole run.
static void predefined(const int* bound) {
  static const int keys[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};
  int flag = 0, *value = NULL;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &flag));
    if (!flag) continue;
    if (keys[i] == MPI_TAG_UB) CHECK(value == bound && *value >= 32767);
    if (keys[i] == MPI_WTIME_IS_GLOBAL) CHECK(*value == 0 || *value == 1);
    if (keys[i] == MPI_UNIVERSE_SIZE) CHECK(*value >= 1, "%d", *value);
    if (keys[i] == MPI_APPNUM) CHECK(*value == 0, "%d", *value);
    if (keys[i] == MPI_LASTUSEDCODE) CHECK(*value >= MPI_ERR_LASTCODE, "%d", *value);
  }
}

/// Classes, codes and texts that the program adds while it runs.
static void own_errors(void) {
  int own_class, code, found, length, flag, *last = NULL;
  char text[MPI_MAX_ERROR_STRING];
  OK(MPI_Add_error_class(&own_class));
  OK(MPI_Add_error_code(own_class, &code));
  OK(MPI_Add_error_string(code, "of this step"));
  OK(MPI_Error_class(code, &found));
  CHECK(found == own_class && own_class > MPI_ERR_LASTCODE && code != own_class);
  OK(MPI_Error_string(code, text, &length));
  CHECK(strcmp(text, "of this step") == 0 && length == 12, "%s", text);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  CHECK(flag && *last >= own_class, "%d", *last);
}

int main(int argc, char** argv) {
  before();
  begin(&argc, &argv);
  static char numbers[2] = {3, 4};
  int keys[2], flag = 0, *bound = NULL, again = 0;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag));
  CHECK(flag);
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keys[i], &numbers[i]));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], NULL));
    OK(MPI_Comm_free_keyval(&keys[i]));
  }
  for (int k = 0; k < steps; ++k) {
    attributes(k);
    predefined(bound);
    if (k < 20) own_errors();
    step(k);
  }
  order[0] = 0;
  const int failed = finish();
  after();
  MPI_Initialized(&again);
  // In the reverse order of setting, since MPI-4.0.
  CHECK(strcmp(order, "ed") == 0 || (MPI_VERSION < 4 && strlen(order) == 2), "%s", order);
  CHECK(still_initialized == 2, "%d", still_initialized);
  return failed || wrong;
}
