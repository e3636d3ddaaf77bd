// Streams into memory.
#include "fidelity.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char fixed[32] = {0}, *grown = NULL, word[16];
  size_t length = 0;
  FILE *const writer = open_memstream(&grown, &length), *const inside = fmemopen(fixed, sizeof fixed, "w+");
  FILE* const reader = fmemopen((char[]){"alpha beta gamma"}, 16, "r");
  fprintf(writer, "one ");
  fprintf(inside, "one ");
  CHECK(fscanf(reader, "%15s", word) == 1);
  line();
  fprintf(writer, "two ");
  fprintf(inside, "two ");
  CHECK(fscanf(reader, "%15s", word) == 1 && strcmp(word, "beta") == 0, "%s", word);
  line();
  for (int i = 0; i < 10000; ++i) fprintf(writer, "three");
  CHECK(fclose(writer) == 0 && fclose(inside) == 0);
  CHECK(length == 50008, "%zu", length);
  CHECK(memcmp(grown, "one two threethree", 18) == 0);
  CHECK(strcmp(fixed, "one two ") == 0, "%s", fixed);
  CHECK(fscanf(reader, "%15s", word) == 1 && strcmp(word, "gamma") == 0, "%s", word);
  return finish();
}
