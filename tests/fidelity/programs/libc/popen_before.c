// A stream to a child that popen() started: closed before the checkpoint, and another opened after it.
#include "fidelity.h"

static int word_of(FILE* stream, const char* expected) {
  char word[16] = {0};
  return stream != NULL && fscanf(stream, "%15s", word) == 1 && strcmp(word, expected) == 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int times = 0; times < 3; ++times) {
    FILE* const child = popen("echo hello world", "r");
    CHECK(word_of(child, "hello"));
    CHECK(word_of(child, "world"));
    CHECK(pclose(child) == 0);
    if (times < 2) line();
  }
  return finish();
}
