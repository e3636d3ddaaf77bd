// Arguments that the program wrote over, in its own copy and as /proc/self/cmdline shows them.
#include "fidelity.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(argc == 1 && argv[1] == NULL, "%d", argc);
  char written[] = "./renamed";
  const size_t size = strlen(argv[0]);
  written[size < sizeof written ? size : sizeof written - 1] = 0;
  memcpy(argv[0], written, strlen(written));
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(memcmp(argv[0], written, strlen(written)) == 0, "%s", argv[0]);
    char shown[64] = "";
    FILE* const file = fopen("/proc/self/cmdline", "r");
    CHECK(file && fread(shown, 1, sizeof shown - 1, file) > 0);
    if (file) fclose(file);
    CHECK(strncmp(shown, written, strlen(written)) == 0, "%s", shown);
  }
  return finish();
}
