// The names of the program: libc's names, /proc/self/comm, and the file that /proc/self/exe names.
#include "fidelity.h"

#include <sys/auxv.h>

static void is(const char* path, int link) {
  char text[512] = "";
  if (link) CHECK(readlink(path, text, sizeof text - 1) > 0);
  else {
    FILE* const file = fopen(path, "r");
    CHECK(file && fgets(text, sizeof text, file));
    if (file) fclose(file);
    text[strcspn(text, "\n")] = 0;
  }
  const char* const name = strrchr(text, '/') ? strrchr(text, '/') + 1 : text;
  CHECK(strcmp(name, "program") == 0 || strcmp(name, program_invocation_short_name) == 0, "%s: %s", path, text);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    const char* const file = (const char*)getauxval(AT_EXECFN);
    CHECK(strcmp(program_invocation_name, argv[0]) == 0, "%s", program_invocation_name);
    CHECK(file && strstr(file, program_invocation_short_name), "%s", file);
    is("/proc/self/exe", 1), is("/proc/self/comm", 0);
    if (round < 2) line();
  }
  return finish();
}
