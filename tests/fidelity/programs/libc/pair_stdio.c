// Streams of stdio that differ: rank 1 reads by getline what rank 0 writes with a buffer of its own.
// ranks: 2
#include "pair.h"

static char buffer[4096];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  FILE* stream = NULL;
  if (me == 0) CHECK((stream = fopen(in("f"), "w")) != NULL), setvbuf(stream, buffer, _IOLBF, sizeof buffer);
  together();
  if (me == 1) CHECK((stream = fopen(in("f"), "r")) != NULL);
  char *text = NULL, expected[64];
  size_t room = 0;
  for (int round = 0; round < 3; ++round) {
    if (me == 0) fprintf(stream, "begun in %d, ", round);
    if (round < 2) line();
    if (me == 0) fprintf(stream, "ended after\n");
    together();
    snprintf(expected, sizeof expected, "begun in %d, ended after\n", round);
    if (me == 1) {
      clearerr(stream);
      const ssize_t length = getline(&text, &room, stream);
      CHECK(length == (ssize_t)strlen(expected) && !strcmp(text, expected), "%ld", (long)length);
      CHECK(getc(stream) == EOF);
    }
    together();
  }
  free(text), fclose(stream);
  leave_common_place();
  return finish();
}
