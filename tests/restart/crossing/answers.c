// What MPI has told the program stays told: attributes and their addresses, the thread level, error classes with their
// texts, codes of the program, lengths, names and sizes. Each step asks all of it again.
#include "../../mpi/programs/check.h"

enum { most_classes = 80, keys = 6, text_bytes = MPI_MAX_ERROR_STRING };

static const int key[keys] = {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM};
static int *value[keys], told[keys], has[keys];
static int level, version, subversion;
static char text[most_classes][text_bytes];
static int classes;
static int own_class, own_code;
static int* last_used;                 // of MPI_LASTUSEDCODE
static int last_told;
static double ticks;

/// A handler: errors are returned, so that classes can be compared.
static void return_errors(void) {
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

/// The standard's classes of this mpi.h: the code is its own class, and has a text.
static void learn_texts(void) {
  int length, code_class;
  for (int c = MPI_SUCCESS; c < most_classes; ++c) {
    if (MPI_Error_class(c, &code_class) != MPI_SUCCESS || code_class != c) break;
    OK(MPI_Error_string(c, text[c], &length));
    CHECK(length > 0 && length == (int)strlen(text[c]), "class %d: %d", c, length);
    classes = c + 1;
  }
  CHECK(classes > MPI_ERR_OTHER, "%d classes", classes);
}

static void learn(void) {
  for (int i = 0; i < keys; ++i) {
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key[i], &value[i], &has[i]));
    if (has[i]) told[i] = *value[i];
  }
  CHECK(has[0] && told[0] >= 32767, "%d", told[0]);
  OK(MPI_Query_thread(&level));
  OK(MPI_Get_version(&version, &subversion));
  learn_texts();
  OK(MPI_Add_error_class(&own_class));
  OK(MPI_Add_error_code(own_class, &own_code));
  OK(MPI_Add_error_string(own_class, "a class of the program"));
  OK(MPI_Add_error_string(own_code, "a code of the program"));
  int flag = 0;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last_used, &flag));
  CHECK(flag);
  last_told = flag ? *last_used : 0;
  ticks = MPI_Wtick();
}

static void ask_attributes(void) {
  for (int i = 0; i < keys; ++i) {
    int *again = NULL, flag = -1;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key[i], &again, &flag));
    CHECK(flag == has[i], "key %d: %d", i, flag);
    if (!flag) continue;
    CHECK(again == value[i], "key %d has another address", i);
    CHECK(*again == told[i], "key %d: %d, not %d", i, *again, told[i]);
  }
  int* last = NULL;
  int flag = 0;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  CHECK(flag && last == last_used && *last == last_told, "%d, not %d", flag ? *last : -1, last_told);
}

static void ask_errors(void) {
  char words[text_bytes];
  int length, found;
  for (int c = 0; c < classes; ++c) {
    OK(MPI_Error_class(c, &found));
    CHECK(found == c, "class %d of %d", found, c);
    OK(MPI_Error_string(c, words, &length));
    CHECK(strcmp(words, text[c]) == 0 && length == (int)strlen(words), "class %d is \"%s\", not \"%s\"", c, words, text[c]);
  }
  OK(MPI_Error_class(own_code, &found));
  CHECK(found == own_class, "%d", found);
  OK(MPI_Error_string(own_code, words, &length));
  CHECK(strcmp(words, "a code of the program") == 0, "%s", words);
  OK(MPI_Error_string(own_class, words, &length));
  CHECK(strcmp(words, "a class of the program") == 0, "%s", words);
  int data = 0;
  CHECK(class_of(MPI_Send(&data, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Send(&data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
  CHECK(class_of(MPI_Comm_size(MPI_COMM_NULL, &data)) == MPI_ERR_COMM);
}

static void ask_names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length, number, minor;
  OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0, "%s", name);
  OK(MPI_Type_get_name(MPI_DOUBLE, name, &length));
  CHECK(strcmp(name, "MPI_DOUBLE") == 0, "%s", name);
  OK(MPI_Type_size(MPI_DOUBLE, &length));
  CHECK(length == 8, "%d", length);
  OK(MPI_Query_thread(&number));
  CHECK(number == level, "%d, not %d", number, level);
  OK(MPI_Get_version(&number, &minor));
  CHECK(number == version && minor == subversion, "%d.%d", number, minor);
  char processor[MPI_MAX_PROCESSOR_NAME];
  OK(MPI_Get_processor_name(processor, &length));
  CHECK(length < MPI_MAX_PROCESSOR_NAME && length == (int)strlen(processor), "%d", length);
  CHECK(MPI_Wtick() > 0 && ticks > 0);
}

/// A message with the largest tag that the program was told.
static void use_bound(int k) {
  int out[2], in[2] = {0};
  MPI_Status status;
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  fill(out, 2, me, to, k);
  OK(MPI_Sendrecv(out, 2, MPI_INT, to, told[0], in, 2, MPI_INT, from, told[0], MPI_COMM_WORLD, &status));
  CHECK(status.MPI_TAG == told[0] && status.MPI_SOURCE == from, "tag %d of %d", status.MPI_TAG, status.MPI_SOURCE);
  SAME(in, 2, from, me, k);
}

int main(int argc, char** argv) {
  begin_threads(&argc, &argv, MPI_THREAD_SERIALIZED);
  return_errors();
  learn();
  for (int k = 0; k < steps; ++k) {
    ask_attributes();
    ask_errors();
    ask_names();
    use_bound(k);
    step(k);
  }
  return finish();
}
