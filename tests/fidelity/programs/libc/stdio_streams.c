// Streams in the middle of a line: one that writes with its own buffer, one that reads, with a character pushed back,
// one that does both. Also the three that every process has.
#include "place.h"

static char buffer[1 << 16];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("input", "alpha beta\ngamma delta\nepsilon");
  FILE *const out = fopen(in("out"), "w"), *const input = fopen(in("input"), "r"),
              *const both = fopen(in("input"), "r+");
  setvbuf(out, buffer, _IOFBF, sizeof buffer);
  char word[16];
  fprintf(out, "begun, ");
  CHECK(fscanf(input, "%15s", word) == 1);
  CHECK(fgetc(input) == ' ' && ungetc('_', input) == '_');
  CHECK(fscanf(both, "%15s", word) == 1 && fseek(both, 0, SEEK_CUR) == 0 && fputs(".", both) >= 0);
  line();
  CHECK(holds("out", ""));
  fprintf(out, "gone on, ");
  CHECK(fscanf(input, "%15s", word) == 1 && strcmp(word, "_beta") == 0, "%s", word);
  CHECK(ftell(input) == 10, "%ld", ftell(input));
  CHECK(fgetc(input) == '\n' && ungetc('!', input) == '!');
  line();
  fprintf(out, "ended");
  CHECK(fclose(out) == 0 && fclose(both) == 0);
  CHECK(fgets(word, sizeof word, input) != NULL && strcmp(word, "!gamma delta\n") == 0, "%s", word);
  CHECK(fgets(word, sizeof word, input) != NULL && strcmp(word, "epsilon") == 0, "%s", word);
  CHECK(fgetc(input) == EOF && feof(input));
  CHECK(holds("out", "begun, gone on, ended"));
  CHECK(holds("input", "alpha.beta\ngamma delta\nepsilon"));
  leave_place();
  return finish();
}
