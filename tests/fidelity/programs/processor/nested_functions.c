// Functions inside of functions, whose addresses are code on the stack, made before a line and called after it, by libc
// too.
#include "fidelity.h"

static int call(int (*function)(int), int with) { return function(with); }
__attribute__((noinline)) static int twice(int (*function)(int), int with) {
  line();
  return call(function, with);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int base = 100, calls = 0;
  int add(int x) {
    ++calls;
    return base + x;
  }
  int backward(const void* a, const void* b) {
    ++calls;
    return *(const int*)b - *(const int*)a;
  }
  int (*volatile kept)(int) = add;
  int (*volatile compare)(const void*, const void*) = backward;
  for (int round = 0; round < 2; ++round) {
    base += 10;
    const int found = twice(kept, 5);
    CHECK(found == 115 + 10 * round, "%d", found);
    int numbers[5] = {3, 1, 4, 1, 5};
    qsort(numbers, 5, sizeof *numbers, compare);
    CHECK(numbers[0] == 5 && numbers[4] == 1);
  }
  CHECK(calls > 10);
  return finish();
}
