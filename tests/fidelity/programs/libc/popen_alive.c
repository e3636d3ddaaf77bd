// A stream to a child that popen() started, and that lives across a line: a restart has no such child.
#include "fidelity.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  FILE* const child = popen("cat > /dev/null", "w");
  CHECK(child != NULL && fputs("before\n", child) >= 0 && fflush(child) == 0);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(fputs("after\n", child) >= 0 && fflush(child) == 0, "%s", strerror(errno));
  }
  CHECK(pclose(child) == 0, "%s", strerror(errno));
  return finish();
}
