// Versions, clocks, memory, classes and codes of errors, handles as Fortran integers, statuses made by hand, Fortran's
// parametrised types. What is asked for before the steps must hold after each of them.
#include "check.h"

static void versions(void) {
  int version, subversion, length, yes = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME];
  MPI_Get_version(&version, &subversion);
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  MPI_Get_library_version(text, &length);
  CHECK(length > 0 && (int)strlen(text) <= length);
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0 && (int)strlen(name) == length);
  MPI_Initialized(&yes);
  CHECK(yes);
  MPI_Finalized(&yes);
  CHECK(!yes);
  MPI_Pcontrol(1);
}

static void clocks(double* last) {
  const double now = MPI_Wtime();
  CHECK(now >= *last && MPI_Wtick() > 0 && MPI_Wtick() < 0.01);
  *last = now;
}

static void predefined_attributes(void) {
  void* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  CHECK(found && *(int*)value >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &found);
  CHECK(!found || *(int*)value == 0 || *(int*)value == 1);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
}

/// A status that the program fills itself.
static void statuses(void) {
  MPI_Status made, back;
  MPI_Fint fortran[sizeof(MPI_Status) / sizeof(MPI_Fint)];
  int count = 0, cancelled = 0;
  MPI_Count many = 0;
  memset(&made, 0, sizeof made);
  made.MPI_SOURCE = 3, made.MPI_TAG = 8, made.MPI_ERROR = MPI_SUCCESS;
  MPI_Status_set_elements(&made, MPI_INT, 12);
  MPI_Get_count(&made, MPI_INT, &count);
  CHECK(count == 12);
  MPI_Get_count(&made, MPI_DOUBLE, &count);
  CHECK(count == 6);
  MPI_Status_set_elements_x(&made, MPI_CHAR, (MPI_Count)5 << 30);
  MPI_Get_elements_x(&made, MPI_CHAR, &many);
  CHECK(many == (MPI_Count)5 << 30);
  MPI_Status_set_cancelled(&made, 1);
  MPI_Test_cancelled(&made, &cancelled);
  CHECK(cancelled);
  MPI_Status_c2f(&made, fortran);
  memset(&back, 0, sizeof back);
  MPI_Status_f2c(fortran, &back);
  MPI_Test_cancelled(&back, &cancelled);
  CHECK(back.MPI_SOURCE == 3 && back.MPI_TAG == 8 && cancelled);
}

static void types(void) {
  MPI_Datatype real, whole, match;
  MPI_Count size = 0, lower = 0, extent = 0;
  int bytes = 0;
  MPI_Type_create_f90_real(15, 307, &real);
  MPI_Type_size(real, &bytes);
  CHECK(bytes == 8);
  MPI_Type_create_f90_integer(9, &whole);
  MPI_Type_size_x(whole, &size);
  CHECK(size == 4);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &match);
  MPI_Type_get_extent_x(match, &lower, &extent);
  CHECK(lower == 0 && extent == 8);
  MPI_Type_get_true_extent_x(MPI_INT, &lower, &extent);
  CHECK(lower == 0 && extent == 4);
}

typedef struct {
  MPI_Fint comm, type, group, op, request, handler, info;
} integers;

/// Handles that were turned into integers before the steps still mean the same objects.
static void as_integers(const integers* kept, MPI_Comm comm, MPI_Datatype type, MPI_Group group, MPI_Op op) {
  int result = -1, x = me, sum = -1;
  MPI_Request r = MPI_Request_f2c(kept->request);
  CHECK(MPI_Comm_f2c(kept->comm) == comm && MPI_Type_f2c(kept->type) == type && MPI_Group_f2c(kept->group) == group);
  CHECK(MPI_Op_f2c(kept->op) == op && r == MPI_REQUEST_NULL && MPI_Info_f2c(kept->info) == MPI_INFO_NULL);
  CHECK(MPI_Errhandler_f2c(kept->handler) == MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  MPI_Comm_compare(MPI_Comm_f2c(kept->comm), MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_Op_f2c(kept->op), MPI_Comm_f2c(kept->comm));
  CHECK(sum == ranks * (ranks - 1) / 2);
  got_int(sum);
}

static void memory(int k) {
  int* block = NULL;
  CHECK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &block) == MPI_SUCCESS);
  for (int i = 0; i < 25000; ++i) block[i] = i + k;
  MPI_Bcast(block, 25000, MPI_INT, k % ranks, MPI_COMM_WORLD);
  CHECK(block[24999] == 24999 + k);
  CHECK(MPI_Free_mem(block) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  int yes = 1, own_class, own_code, error_class, length;
  MPI_Initialized(&yes);
  CHECK(!yes);
  begin(&argc, &argv);
  char text[MPI_MAX_ERROR_STRING];
  MPI_Comm copy;
  MPI_Datatype pair;
  MPI_Group group;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Comm_group(copy, &group);
  const integers kept = {MPI_Comm_c2f(copy), MPI_Type_c2f(pair), MPI_Group_c2f(group), MPI_Op_c2f(MPI_SUM),
                         MPI_Request_c2f(MPI_REQUEST_NULL), MPI_Errhandler_c2f(MPI_ERRORS_RETURN),
                         MPI_Info_c2f(MPI_INFO_NULL)};
  MPI_Add_error_class(&own_class);
  MPI_Add_error_code(own_class, &own_code);
  MPI_Add_error_string(own_code, "an error of the program");
  double last = MPI_Wtime();
  for (int k = 0; k < steps; ++k) {
    versions();
    clocks(&last);
    predefined_attributes();
    statuses();
    types();
    as_integers(&kept, copy, pair, group, MPI_SUM);
    memory(k);
    MPI_Error_string(own_code, text, &length);
    CHECK(strcmp(text, "an error of the program") == 0, "%s", text);
    MPI_Error_class(own_code, &error_class);
    CHECK(error_class == own_class, "%d not %d", error_class, own_class);
    step(k);
  }
  MPI_Comm_disconnect(&copy);
  CHECK(copy == MPI_COMM_NULL);
  MPI_Type_free(&pair);
  MPI_Group_free(&group);
  return finish();
}
