// Functions before and after main, by priority: each runs once, also those of libraries, and knows of the lines.
#include "fidelity.h"

static int order[4], met;
__attribute__((constructor(201))) static void early(void) { order[met++] = 201; }
__attribute__((constructor(202))) static void later(void) { order[met++] = 202; }
__attribute__((constructor)) static void last(void) { order[met++] = 1; }
__attribute__((destructor)) static void end_first(void) { if (lines_met != 2 || met != 3) _exit(80); ++met; }
__attribute__((destructor(202))) static void end_second(void) { if (met != 4) _exit(81); ++met; }
__attribute__((destructor(201))) static void end_last(void) { if (met != 5) _exit(82); }
static void by_preinit(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  order[3] = 99;
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char**, char**) = by_preinit;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    CHECK(met == 3 && order[0] == 201 && order[1] == 202 && order[2] == 1, "%d", met);
    CHECK(order[3] == 99, "%d", order[3]);
    if (round < 2) line();
  }
  return finish();
}
