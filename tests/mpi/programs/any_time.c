// What may be called at any time (MPI-4.0, 11.4.1): info objects, error handlers of sessions, texts of errors,
// and MPI_T, made before MPI_Init_thread, used while MPI runs, ended after MPI_Finalize; a session open all that time;
// keyvals of MPI_COMM_SELF whose callbacks run at the end in the reverse order of setting.
#include "check.h"

static int finalizing, wanted_next = 9;
static int strict;       // under mana: MPICH 4.0 and Open MPI 4.1 abort or crash in some of these before and after

static void versions(void) {
  int version = 0, subversion = -1, length = 0, found = -1;
  char text[MPI_MAX_LIBRARY_VERSION_STRING], words[MPI_MAX_ERROR_STRING];
  OK(MPI_Get_version(&version, &subversion));
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION, "%d.%d", version, subversion);
  OK(MPI_Get_library_version(text, &length));
  CHECK(length > 0 && (int)strlen(text) <= length, "%d", length);
  if (MPI_VERSION < 4) return;
  OK(MPI_Error_class(MPI_ERR_TRUNCATE, &found));
  CHECK(found == MPI_ERR_TRUNCATE, "%d", found);
  length = 0;
  OK(MPI_Error_string(MPI_ERR_TRUNCATE, words, &length));
  CHECK(length > 0 && length == (int)strlen(words), "%d", length);
}

static void tools(void) {
  int n = -1, index = -1, number = -2;
  char name[400];
  OK(MPI_T_cvar_get_num(&n));
  CHECK(n > 0, "%d control variables", n);      // a restart's library may have others
  int length = sizeof name, none = 0, verbosity, bind, scope;
  MPI_Datatype type;
  MPI_T_enum values;
  OK(MPI_T_cvar_get_info(0, name, &length, &verbosity, &type, &values, NULL, &none, &bind, &scope));
  OK(MPI_T_cvar_get_index(name, &index));
  CHECK(index == 0, "%d", index);
  OK(MPI_T_category_get_num(&number));
  CHECK(number > 0, "%d", number);
}

#if MPI_VERSION >= 4
static MPI_Info hints;                     // made before MPI_Init_thread, freed after MPI_Finalize
static int handled;
static MPI_Session session;
static MPI_Errhandler counting;

static void on_error(MPI_Session* on, int* code, ...) {
  CHECK(*on == session && class_of(*code) == MPI_ERR_ARG);
  ++handled;
}

static void info(int k) {
  MPI_Info copy;
  int keys = -1, flag = 0, length = -1, size = 8;
  char text[16] = "", value[16], key[MPI_MAX_INFO_KEY];
  if (k >= 0) {
    snprintf(value, sizeof value, "%d", k);
    OK(MPI_Info_set(hints, "step", value));
  }
  OK(MPI_Info_get(hints, "first", 8, text, &flag));
  CHECK(flag && strcmp(text, "value") == 0, "%s", text);
  OK(MPI_Info_get_string(hints, "first", &size, text, &flag));
  CHECK(flag && size == 6 && strcmp(text, "value") == 0, "%d", size);
  OK(MPI_Info_get_valuelen(hints, "first", &length, &flag));
  CHECK(flag && length == 5, "%d", length);
  OK(MPI_Info_dup(hints, &copy));
  OK(MPI_Info_delete(copy, "first"));
  OK(MPI_Info_get_nkeys(hints, &keys));
  int left = -1;
  OK(MPI_Info_get_nkeys(copy, &left));
  CHECK(left == keys - 1 && keys >= 1, "%d of %d", left, keys);
  OK(MPI_Info_get_nthkey(hints, 0, key));
  CHECK(strcmp(key, "first") == 0 || strcmp(key, "step") == 0, "%s", key);
  CHECK(MPI_Info_f2c(MPI_Info_c2f(copy)) == copy);
  OK(MPI_Info_free(&copy));
  CHECK(copy == MPI_INFO_NULL);
}

static void handlers(void) {
  MPI_Errhandler brief;
  OK(MPI_Session_create_errhandler(on_error, &brief));
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(brief)) == brief);
  OK(MPI_Errhandler_free(&brief));
  CHECK(brief == MPI_ERRHANDLER_NULL);
  OK(MPI_Session_get_errhandler(session, &brief));       // the one that it keeps
  OK(MPI_Errhandler_free(&brief));
  handled = 0;
  OK(MPI_Session_call_errhandler(session, MPI_ERR_ARG));
  CHECK(handled == 1, "%d", handled);
}

static void of_session(int k) {
  MPI_Group group;
  MPI_Comm comm;
  int size = 0, all = 0, value = val(me, 0, k, 0), want = 0;
  char tag[32];
  snprintf(tag, sizeof tag, "step %d", k);
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  OK(MPI_Group_size(group, &size));
  OK(MPI_Comm_create_from_group(group, tag, hints, MPI_ERRORS_RETURN, &comm));
  OK(MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_BXOR, comm));
  for (int r = 0; r < size; ++r) want ^= val(r, 0, k, 0);
  CHECK(all == want && size == ranks, "%d", all);
  got_int(all);
  OK(MPI_Comm_free(&comm));
  OK(MPI_Group_free(&group));
  MPI_Info used;
  OK(MPI_Session_get_info(session, &used));
  OK(MPI_Info_free(&used));
}
#endif

static int of_files;
static void on_file_error(MPI_File* file, int* code, ...) {
  CHECK(*file == MPI_FILE_NULL && class_of(*code) == MPI_ERR_AMODE);
  ++of_files;
}

/// The handler of files that are not open is the program's to choose; at first errors of files are returned.
static void file_handlers(MPI_Errhandler own) {
  MPI_Errhandler before;
  OK(MPI_File_get_errhandler(MPI_FILE_NULL, &before));
  CHECK(before == MPI_ERRORS_RETURN);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, own));
  of_files = 0;
  if (strict || MPI_VERSION >= 4) {                      // Open MPI 4.1 says that there is no such file
    OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_AMODE));
    CHECK(of_files == 1, "%d", of_files);
  }
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, before));
}

static void before(void) {
  int yes = 1, provided = -1, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  OK(MPI_Get_library_version(text, &length));
  strict = strstr(text, "MANA") != NULL;
  OK(MPI_Initialized(&yes));
  CHECK(!yes);
  OK(MPI_Finalized(&yes));
  CHECK(!yes);
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  tools();
#if MPI_VERSION >= 4
  OK(MPI_Info_create(&hints));
  OK(MPI_Info_set(hints, "first", "value"));
  info(-1);
  MPI_Info environment;
  OK(MPI_Info_create_env(0, NULL, &environment));
  OK(MPI_Info_free(&environment));
  if (strict) OK(MPI_Session_create_errhandler(on_error, &counting));
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  if (!strict) OK(MPI_Session_create_errhandler(on_error, &counting));
  OK(MPI_Session_set_errhandler(session, counting));
  OK(MPI_Errhandler_free(&counting));                    // the session keeps it
  handlers();
  OK(MPI_Initialized(&yes));
  CHECK(!yes, "a session is not MPI_Init");
#endif
  versions();
}

static void after(void) {
  int yes = 0;
  OK(MPI_Initialized(&yes));
  CHECK(yes);
  OK(MPI_Finalized(&yes));
  CHECK(yes);
  versions();
#if MPI_VERSION >= 4
  info(-1);
  if (strict) handlers();
  if (strict) OK(MPI_Session_finalize(&session));
  OK(MPI_Info_free(&hints));
#endif
  if (!strict) return;
  tools();
  OK(MPI_T_finalize());
  int n = 0;
  CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
}

/// Of MPI_COMM_SELF, in MPI_Finalize: MPI works as before.
static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)extra;
  int finalized = 1, sum = 0, one = 1;
  const int number = (int)(intptr_t)value;
  CHECK(finalizing && comm == MPI_COMM_SELF);
  CHECK(number == wanted_next || MPI_VERSION < 4, "%d, not %d", number, wanted_next);
  --wanted_next;
  OK(MPI_Finalized(&finalized));
  CHECK(!finalized);
  OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, number % 2 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF));
  CHECK(sum == (number % 2 == 0 ? ranks : 1), "%d", sum);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  before();
  begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
  int level = -1, main_thread = 0, keys[10];
  MPI_Errhandler own;
  OK(MPI_File_create_errhandler(on_file_error, &own));
  for (int i = 0; i < 10; ++i) {
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keys[i], NULL));
    if (i < 5) OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], (void*)(intptr_t)i));
  }
  for (int k = 0; k < steps; ++k) {
    if (k == steps / 2)                                  // the rest after checkpoints, perhaps
      for (int i = 5; i < 10; ++i) OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], (void*)(intptr_t)i));
    versions();
    tools();
    OK(MPI_Query_thread(&level));
    OK(MPI_Is_thread_main(&main_thread));
    CHECK(main_thread && level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE, "%d", level);
    OK(MPI_Pcontrol(k % 3));
    file_handlers(own);
    OK(MPI_Pcontrol(2, "more", k));
#if MPI_VERSION >= 4
    info(k);
    handlers();
    of_session(k);
#endif
    got_int(k);
    step(k);
  }
  for (int i = 0; i < 10; ++i) OK(MPI_Comm_free_keyval(&keys[i]));
  OK(MPI_Errhandler_free(&own));
#if MPI_VERSION >= 4
  if (!strict) OK(MPI_Session_finalize(&session));       // MPICH runs the callbacks in this one, where it comes last
#endif
  finalizing = 1;
  const int failed = finish();
  CHECK(wanted_next == -1, "%d callbacks did not run", wanted_next + 1);
  after();
  return failed || wrong;
}
