// The filter of core dumps (coredump_filter).
#include "fidelity.h"

static void filter(const char* how, char* text, int size) {
  FILE* file = fopen("/proc/self/coredump_filter", how);
  CHECK(file != NULL && (*how == 'w' ? fputs(text, file) >= 0 : fgets(text, size, file) != NULL));
  CHECK(file == NULL || fclose(file) == 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char wanted[][8] = {"0x7f", "0x1"};
  for (int round = 0; round < 2; ++round) {
    filter("w", wanted[round], 0);
    line();
    char text[32] = "";
    filter("r", text, sizeof text);
    CHECK(strtol(text, NULL, 16) == strtol(wanted[round], NULL, 16), "%s", text);
  }
  return finish();
}
