// Functions that are chosen at the start (IFUNC), of the program's own and libc's: the same ones are called after the
// lines.
#include "fidelity.h"

static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }
static int (*resolve(void))(int) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse2") ? first : second;
}
int chosen(int x) __attribute__((ifunc("resolve")));

__attribute__((target_clones("avx2", "sse4.2", "default"))) static long sum_of(const int* numbers, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += numbers[i] * 3;
  return sum;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int (*volatile pointer)(int) = chosen;
  void* (*volatile copy)(void*, const void*, size_t) = memcpy;
  size_t (*volatile length_of)(const char*) = strlen;
  void* const copy_before = (void*)copy;
  int numbers[1000];
  for (int i = 0; i < 1000; ++i) numbers[i] = i;
  for (int round = 0; round < 3; ++round) {
    char text[100] = "";
    CHECK(chosen(5) == 6 && pointer(5) == 6 && pointer == chosen);
    copy(text, "a text that is copied by libc's function for this processor", 61);
    CHECK(length_of(text) == 60 || length_of(text) == strlen(text));
    CHECK((void*)memcpy == copy_before);
    CHECK(sum_of(numbers, 1000) == 3L * 499500);
    if (round < 2) line();
  }
  return finish();
}
