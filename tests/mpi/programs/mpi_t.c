// The tools interface: variables and categories as loops over them find them, handles that are read and written, in
// steps that checkpoints fall between, and wrong indices, names and handles. What it prints is the same over every MPI.
#include "check.h"

enum { text = 400 };

/// INV-65: what the program was told once, by number. A number means the same name for ever, also after a restart whose
/// library numbers in another way, and there are never fewer; what the library has no longer is no number.
typedef struct {
  const char* what;
  int count;
  char (*names)[text];                     // "": not told yet
} told;
static told told_cvars = {"control variable", 0, NULL}, told_pvars = {"performance variable", 0, NULL},
            told_categories = {"category", 0, NULL};

static void now_there_are(told* t, int count) {
  CHECK(count >= t->count, "%s: %d, and %d before", t->what, count, t->count);
  if (count <= t->count) return;
  t->names = realloc(t->names, (size_t)count * text);
  memset(t->names[t->count], 0, (size_t)(count - t->count) * text);
  t->count = count;
}
static void is_called(told* t, int number, const char* name) {
  char* const before = t->names[number];
  CHECK(!*before || strcmp(before, name) == 0, "%s %d is %s, and was %s", t->what, number, name, before);
  snprintf(before, text, "%.*s", text - 1, name);
}

/// Of the library's control variables: integers that may be written at any time.
static const char* const writable[] = {"MPIR_CVAR_BCAST_MIN_PROCS", "coll_base_verbose"};

static int variables_of_categories;

static int compare(const void* a, const void* b) { return strcmp(a, b); }

/// Answers about a number that is none, or whose part of the library was unloaded. Open MPI has a general code in some.
static int is_no_number(int code) { return code == MPI_T_ERR_INVALID_INDEX || code == MPI_T_ERR_INVALID; }

/// Every variable has a name, no two share one, and the name gives the number back.
static void control_variables(void) {
  int n = -1, found = -1, known = 0;
  OK(MPI_T_cvar_get_num(&n));
  CHECK(n > 0, "%d control variables", n);
  now_there_are(&told_cvars, n);
  char(*names)[text] = calloc((size_t)n, text);
  for (int i = 0; i < n; ++i) {
    int name_length = text, none = 0, verbosity, bind, scope;
    MPI_Datatype type;
    MPI_T_enum values;
    char* const own = names[known];
    const int rc = MPI_T_cvar_get_info(i, own, &name_length, &verbosity, &type, &values, NULL, &none, &bind, &scope);
    CHECK(rc == MPI_SUCCESS || is_no_number(rc), "%d", rc);
    if (rc != MPI_SUCCESS) continue;
    ++known;
    CHECK((int)strlen(own) + 1 == name_length, "%s: %d", own, name_length);
    is_called(&told_cvars, i, own);
    CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL, "%d", verbosity);
    CHECK(bind >= MPI_T_BIND_NO_OBJECT && bind <= MPI_T_BIND_MPI_INFO, "%d", bind);
    CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ, "%d", scope);
    CHECK(type != MPI_DATATYPE_NULL);
    if (i % 37) continue;
    OK(MPI_T_cvar_get_index(own, &found));
    CHECK(found == i, "%s: %d not %d", own, found, i);
    int size = 0, count = 0, length = text;
    char name[text];
    MPI_Type_size(type, &size);
    CHECK(size > 0);
    if (values == MPI_T_ENUM_NULL) continue;
    OK(MPI_T_enum_get_info(values, &count, name, &length));
    for (int item = 0, value; item < count; ++item) {
      length = text;
      OK(MPI_T_enum_get_item(values, item, &value, name, &length));
      CHECK(length > 1);
    }
  }
  qsort(names, (size_t)known, text, compare);
  for (int i = 1; i < known; ++i) CHECK(strcmp(names[i - 1], names[i]), "two variables are named %s", names[i]);
  free(names);
}

static void performance_variables(void) {
  int n = -1, found = -1;
  OK(MPI_T_pvar_get_num(&n));
  CHECK(n >= 0);
  now_there_are(&told_pvars, n);
  for (int i = 0; i < n; ++i) {
    char name[text];
    int name_length = text, none = 0, verbosity, bind, var_class, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum values;
    const int rc = MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &var_class, &type, &values, NULL, &none, &bind,
                                       &readonly, &continuous, &atomic);
    CHECK(rc == MPI_SUCCESS || is_no_number(rc), "%d", rc);
    if (rc != MPI_SUCCESS) continue;
    is_called(&told_pvars, i, name);
    CHECK(var_class >= MPI_T_PVAR_CLASS_STATE && var_class <= MPI_T_PVAR_CLASS_GENERIC, "%d", var_class);
    OK(MPI_T_pvar_get_index(name, var_class, &found));
    CHECK(found == i, "%s: %d not %d", name, found, i);
  }
}

static int last_stamp = 0;
/* Returns whether the categories stayed the same meanwhile: a restart may change them, and then numbers that were asked before
 * and after it do not go together. */
static int look_at_categories(void) {
  int n = -1, found = -1, stamp = -1, cvars_of_all = -1, later = -1, outside = 0;
  OK(MPI_T_category_get_num(&n));
  OK(MPI_T_category_changed(&stamp));
  OK(MPI_T_cvar_get_num(&cvars_of_all));
  CHECK(n > 0 && stamp >= last_stamp, "%d categories, stamp %d after %d", n, stamp, last_stamp);
  last_stamp = stamp;
  now_there_are(&told_categories, n);
  variables_of_categories = 0;
  for (int i = 0; i < n; ++i) {
    char name[text];
    int length = text, none = 0, cvars = -1, pvars = -1, subs = -1;
    const int rc = MPI_T_category_get_info(i, name, &length, NULL, &none, &cvars, &pvars, &subs);
    CHECK(rc == MPI_SUCCESS || is_no_number(rc), "%d", rc);
    if (rc != MPI_SUCCESS) continue;
    is_called(&told_categories, i, name);
    CHECK(cvars >= 0 && pvars >= 0 && subs >= 0);
    OK(MPI_T_category_get_index(name, &found));
    CHECK(found == i, "%s: %d not %d", name, found, i);
    int* const members = malloc(sizeof(int) * (size_t)(cvars + pvars + subs + 1));
    OK(MPI_T_category_get_cvars(i, cvars, members));
    for (int m = 0; m < cvars; ++m) outside += members[m] < 0 || members[m] >= cvars_of_all;
    OK(MPI_T_category_get_pvars(i, pvars, members));
    OK(MPI_T_category_get_categories(i, subs, members));
    for (int m = 0; m < subs; ++m) outside += members[m] < 0 || members[m] >= n;
    variables_of_categories += cvars;
    free(members);
  }
  CHECK(variables_of_categories > 0);
  OK(MPI_T_category_changed(&later));
  if (later != stamp) return 0;
  CHECK(outside == 0, "%d members of categories are no variables or categories", outside);
  return 1;
}

static void categories(void) {
  while (!look_at_categories()) {}
}

static void bad_arguments(MPI_T_cvar_handle freed, MPI_T_pvar_session session) {
  int n = 0, index = 0, count = 0, value = 0;
  char name[text];
  MPI_T_cvar_handle handle;
  MPI_T_cvar_get_num(&n);
  CHECK(is_no_number(MPI_T_cvar_handle_alloc(n + 1000, NULL, &handle, &count)));
  CHECK(is_no_number(MPI_T_cvar_handle_alloc(-1, NULL, &handle, &count)));
  CHECK(MPI_T_cvar_get_index("no such variable", &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_category_get_index("no such category", &index) == MPI_T_ERR_INVALID_NAME);
  count = text;
  CHECK(is_no_number(MPI_T_category_get_info(100000, name, &count, NULL, NULL, NULL, NULL, NULL)));
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(version, &count);
  if (strstr(version, "MANA") == NULL) return;      // stale handles crash the libraries themselves
  CHECK(MPI_T_cvar_read(freed, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(session, MPI_T_PVAR_HANDLE_NULL, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL, &value) == MPI_T_ERR_INVALID_SESSION);
}

#if MPI_VERSION >= 4
static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void* data) {
  (void)instance, (void)registration, (void)safety, (void)data;
}
static void on_dropped(MPI_Count number, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety,
                       void* data) {
  (void)number, (void)registration, (void)source, (void)safety, (void)data;
}
static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void* data) {
  (void)registration, (void)safety, (void)data;
}

/// Their numbers and names are the library's; a registration that there is none of is refused by every function.
static void events(void) {
  int n = -1, sources = -1, groups = -1, index = -1, length = text, none = 0, value = 0, number;
  char name[text];
  MPI_Count stamp = 0, ticks = 0, longest = 0;
  MPI_Info info;
  MPI_T_source_order order;
  MPI_T_event_registration made, no_one;
  MPI_T_event_instance never;
  memset(&no_one, 0, sizeof no_one), memset(&never, 0, sizeof never);
  OK(MPI_T_event_get_num(&n));
  OK(MPI_T_source_get_num(&sources));
  OK(MPI_T_category_get_num(&groups));
  CHECK(n >= 0 && sources >= 0, "%d events, %d sources", n, sources);
  CHECK(MPI_T_event_get_index("no such event", &index) == MPI_T_ERR_INVALID_NAME);
  for (int i = 0; i < groups; ++i) {
    number = -1;
    OK(MPI_T_category_get_num_events(i, &number));
    CHECK(number >= 0 && number <= n, "category %d: %d events", i, number);
    if (number == 0) OK(MPI_T_category_get_events(i, 0, &value));
  }
  CHECK(is_no_number(MPI_T_event_get_info(n, name, &length, &value, NULL, NULL, &none, NULL, NULL, NULL, &none,
                                          &value)));
  CHECK(is_no_number(MPI_T_event_handle_alloc(n, NULL, MPI_INFO_NULL, &made)));
  CHECK(is_no_number(MPI_T_source_get_info(sources, name, &length, NULL, &none, &order, &ticks, &longest, &info)));
  CHECK(MPI_T_source_get_timestamp(sources, &stamp) != MPI_SUCCESS);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(version, &length);
  if (strstr(version, "MANA") == NULL) return;      // no such registrations crash the libraries themselves
#define NO_EVENT(call) CHECK((call) == MPI_T_ERR_INVALID_HANDLE)
  NO_EVENT(MPI_T_event_register_callback(no_one, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_event));
  NO_EVENT(MPI_T_event_set_dropped_handler(no_one, on_dropped));
  NO_EVENT(MPI_T_event_callback_get_info(no_one, MPI_T_CB_REQUIRE_NONE, &info));
  NO_EVENT(MPI_T_event_callback_set_info(no_one, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
  NO_EVENT(MPI_T_event_handle_get_info(no_one, &info));
  NO_EVENT(MPI_T_event_handle_set_info(no_one, MPI_INFO_NULL));
  NO_EVENT(MPI_T_event_handle_free(no_one, NULL, on_free));
  NO_EVENT(MPI_T_event_read(never, 0, &value));
  NO_EVENT(MPI_T_event_copy(never, &value));
  NO_EVENT(MPI_T_event_get_timestamp(never, &stamp));
  NO_EVENT(MPI_T_event_get_source(never, &index));
}
#else
static void events(void) {}
#endif

/// A variable that is bound to a communicator, where there is one: read each step. Returns whether there is.
static int bound_variable(MPI_T_pvar_session session, MPI_Comm comm, MPI_T_pvar_handle* handle) {
  int index, count = 0;
  if (MPI_T_pvar_get_index("pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) return 0;
  if (MPI_T_pvar_handle_alloc(session, index, &comm, handle, &count) != MPI_SUCCESS) return 0;
  CHECK(count == ranks, "%d", count);                  // one for each peer
  return 1;
}

int main(int argc, char** argv) {
  int provided = -1, n = -1, index = -1, count = -1, first = 0;
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));   // may come before MPI_Init, and more than once
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  OK(MPI_T_cvar_get_num(&n));
  CHECK(n > 0 && provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
  begin(&argc, &argv);
  MPI_T_cvar_handle variable = MPI_T_CVAR_HANDLE_NULL;
  for (int i = 0; i < 2 && variable == MPI_T_CVAR_HANDLE_NULL; ++i)
    if (MPI_T_cvar_get_index(writable[i], &index) == MPI_SUCCESS)
      OK(MPI_T_cvar_handle_alloc(index, NULL, &variable, &count));
  CHECK(count == 1, "%d", count);
  OK(MPI_T_cvar_read(variable, &first));
  MPI_T_pvar_session session;
  MPI_T_pvar_handle bound;
  MPI_Comm copy;
  OK(MPI_T_pvar_session_create(&session));
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const int is_bound = bound_variable(session, copy, &bound);
  control_variables();
  int variables = variables_of_categories;
  for (int k = 0; k < steps; ++k) {
    int value = -1;
    unsigned lengths[64];
    OK(MPI_T_cvar_read(variable, &value));
    CHECK(value == first + (k > 0 ? k % 8 : 0), "step %d: %d, at first %d", k, value, first);   // of the step before
    value = first + (k + 1) % 8;
    OK(MPI_T_cvar_write(variable, &value));
    value = -1;
    OK(MPI_T_cvar_read(variable, &value));
    CHECK(value == first + (k + 1) % 8, "%d", value);
    memset(lengths, 0x77, sizeof lengths);
    if (is_bound) OK(MPI_T_pvar_read(session, bound, lengths));
    for (int i = 0; is_bound && i < ranks; ++i) CHECK(lengths[i] < 10, "%u messages", lengths[i]);
    MPI_T_cvar_handle other;
    OK(MPI_T_cvar_handle_alloc(index, NULL, &other, &count));
    const MPI_T_cvar_handle freed = other;
    OK(MPI_T_cvar_handle_free(&other));
    CHECK(other == MPI_T_CVAR_HANDLE_NULL);
    bad_arguments(freed, session);
    if (k % 10 == 0) control_variables(), events();
    performance_variables();
    categories();
    CHECK(variables <= variables_of_categories, "%d, and %d before", variables_of_categories, variables);
    variables = variables_of_categories;
    got_int(value - first);
    MPI_Barrier(copy);
    step(k);
  }
  OK(MPI_T_cvar_write(variable, &first));
  if (is_bound) OK(MPI_T_pvar_handle_free(session, &bound));
  OK(MPI_T_pvar_session_free(&session));
  OK(MPI_T_cvar_handle_free(&variable));
  OK(MPI_T_finalize());
  OK(MPI_T_cvar_get_num(&n));                            // initialized once more than finalized
  MPI_Comm_free(&copy);
  return finish();
}
