// Rank 1 meets the lines in a coroutine, on a stack of its own, and calls MPI from there; rank 0 has none.
// ranks: 2
#include "pair.h"

#include <ucontext.h>

static ucontext_t outside, inside;
static int steps;
static char stack[1 << 18];

static void body(void) {
  for (int local = 0; local < 2; ++local) {
    line();
    char here;
    CHECK(&here > stack && &here < stack + sizeof stack);
    CHECK(steps == local, "%d", steps);
    CHECK(exchange(500 + local) == 500 + local);
    ++steps;
    swapcontext(&inside, &outside);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  getcontext(&inside);
  inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
  inside.uc_link = &outside;
  makecontext(&inside, body, 0);
  for (int round = 0; round < 2; ++round) {
    if (me == 1) swapcontext(&outside, &inside), CHECK(steps == round + 1);
    else line(), CHECK(exchange(500 + round) == 500 + round);
  }
  if (me == 1) swapcontext(&outside, &inside);
  return finish();
}
