// How readily the kernel ends the process when memory runs out.
#include "fidelity.h"

static int score(void) {
  int found = -9999;
  FILE* const file = fopen("/proc/self/oom_score_adj", "r");
  CHECK(file && fscanf(file, "%d", &found) == 1);
  if (file) fclose(file);
  return found;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  FILE* const file = fopen("/proc/self/oom_score_adj", "w");
  CHECK(file && fputs("345", file) >= 0 && fclose(file) == 0);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(score() == 345, "%d", score());
  }
  return finish();
}
