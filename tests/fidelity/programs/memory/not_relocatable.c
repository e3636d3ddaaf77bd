// A program at fixed addresses (-no-pie): its functions, variables and constants are where the linker put them.
// flags: -no-pie
#include "fidelity.h"

static int variable = 5;
static const char* const text = "a constant";
extern char __executable_start, edata, end;
static int twice(int x) { return 2 * x; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int (*volatile function)(int) = twice;
  void* const heap = malloc(100);
  CHECK((uintptr_t)&variable < 0x80000000 && (uintptr_t)twice < 0x80000000, "%p", (void*)&variable);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(variable == 5 + round && !strcmp(text, "a constant") && function(4) == 8 && function == twice);
    CHECK((char*)&variable > &__executable_start && (char*)&variable < &edata && &edata <= &end);
    ++variable;
  }
  free(heap);
  return finish();
}
