// Lines that are met in functions that libc calls: in nftw of a directory, in a comparison of qsort_r, in a stream's
// own write.
#include "place.h"

static int visited, compared, written;
static char out[256];

static int visit(const char* name, const struct stat* s, int kind, struct FTW* where) {
  (void)name, (void)s, (void)where;
  visited += kind == FTW_F;
  if (visited == 10 && kind == FTW_F) line();
  return 0;
}
static int compare(const void* a, const void* b, void* extra) {
  if (++compared == 300) line();
  ++*(int*)extra;
  return *(const int*)a - *(const int*)b;
}
static ssize_t write_it(void* cookie, const char* text, size_t length) {
  memcpy((char*)cookie + written, text, length), written += (int)length;
  return (ssize_t)length;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  for (int i = 0; i < 25; ++i) {
    char name[32];
    if (i % 5 == 0) snprintf(name, sizeof name, "d%d", i / 5), OK(mkdir(in(name), 0755));
    snprintf(name, sizeof name, "d%d/f%d", i / 5, i);
    make_file(name, "x");
  }
  FILE* const stream = fopencookie(out, "w", (cookie_io_functions_t){.write = write_it});
  fprintf(stream, "begun, ");
  CHECK(nftw(place, visit, 4, 0) == 0 && visited == 25, "%d", visited);
  int numbers[200], extra = 0;
  for (int i = 0; i < 200; ++i) numbers[i] = i * 77 % 200;
  qsort_r(numbers, 200, sizeof *numbers, compare, &extra);
  for (int i = 0; i < 200; ++i) CHECK(numbers[i] == i, "%d: %d", i, numbers[i]);
  CHECK(extra == compared && compared > 300, "%d %d", extra, compared);
  fprintf(stream, "ended");
  CHECK(fclose(stream) == 0 && !strcmp(out, "begun, ended"), "%s", out);
  CHECK(lines_met == 2);
  leave_place();
  return finish();
}
