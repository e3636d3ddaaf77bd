// A conversion of printf's that the program registered, a stream with functions of its own, and handlers of memory's
// end.
#include "fidelity.h"

#include <printf.h>

static int print_it(FILE* stream, const struct printf_info* info, const void* const* arguments) {
  return fprintf(stream, "<%*d>", info->width, **(const int* const*)arguments);
}
static int size_of_it(const struct printf_info* info, size_t count, int* types, int* sizes) {
  (void)info;
  if (count > 0) types[0] = PA_INT, sizes[0] = sizeof(int);
  return 1;
}
static int position;
static ssize_t read_it(void* cookie, char* into, size_t length) {
  const char* const text = cookie;
  const size_t left = strlen(text) - (size_t)position, some = length < left ? length : left < 3 ? left : 3;
  memcpy(into, text + position, some), position += (int)some;
  return (ssize_t)some;
}
static int seek_it(void* cookie, off64_t* to, int how) {
  (void)cookie;
  if (how != SEEK_SET) return -1;
  position = (int)*to;
  return 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(register_printf_specifier('W', print_it, size_of_it) == 0);
  char text[] = "one two three";
  FILE* const stream = fopencookie(text, "r", (cookie_io_functions_t){.read = read_it, .seek = seek_it});
  char word[16], out[64];
  CHECK(fscanf(stream, "%15s", word) == 1 && !strcmp(word, "one"));
  const char* volatile format = "%4W and %d";
  for (int round = 0; round < 2; ++round) {
    line();
    snprintf(out, sizeof out, format, 42, 7);
    CHECK(!strcmp(out, "<  42> and 7"), "%s", out);
    CHECK(fscanf(stream, "%15s", word) == 1 && !strcmp(word, round == 0 ? "two" : "three"), "%s", word);
  }
  rewind(stream);
  CHECK(fscanf(stream, "%15s", word) == 1 && !strcmp(word, "one"));
  fclose(stream);
  return finish();
}
