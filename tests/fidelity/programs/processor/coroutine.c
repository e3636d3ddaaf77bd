// Coroutines of ucontext: suspended ones at a line, and a line that is met on a coroutine's stack.
#include "fidelity.h"

#include <ucontext.h>

enum { routines = 4, size = 256 * 1024 };
static ucontext_t main_context, context[routines];
static int sum[routines], done;

static void routine(int index) {
  volatile double own = index + 0.5;
  for (int step = 0; step < 6; ++step) {
    sum[index] += step;
    if (index == 0 && step == 3) line();
    own += 1;
    swapcontext(&context[index], &main_context);
  }
  CHECK(own == index + 6.5);
  ++done;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int index = 0; index < routines; ++index) {
    getcontext(&context[index]);
    context[index].uc_stack.ss_sp = malloc(size), context[index].uc_stack.ss_size = size;
    context[index].uc_link = &main_context;
    makecontext(&context[index], (void (*)(void))routine, 1, index);
  }
  for (int step = 0; step < 7; ++step) {
    if (step == 2) line();
    for (int index = 0; index < routines; ++index) swapcontext(&main_context, &context[index]);
  }
  CHECK(done == routines, "%d", done);
  for (int index = 0; index < routines; ++index) CHECK(sum[index] == 15, "%d", sum[index]);
  return finish();
}
