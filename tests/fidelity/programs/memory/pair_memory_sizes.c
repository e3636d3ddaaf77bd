// Rank 1 has a hundred times the memory of rank 0. Each keeps its own, and they swap sizes between the lines.
// ranks: 2
#include "pair.h"

static size_t length;
static uint32_t* numbers;
static void fill(size_t bytes) {
  length = bytes / sizeof *numbers;
  CHECK((numbers = malloc(bytes)) != NULL);
  for (size_t i = 0; i < length; ++i) numbers[i] = (uint32_t)(i * 2654435761u + (uint32_t)me);
}
static void check_all(void) {
  size_t bad = 0;
  for (size_t i = 0; i < length; ++i) bad += numbers[i] != (uint32_t)(i * 2654435761u + (uint32_t)me);
  CHECK(bad == 0, "%zu of %zu", bad, length);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  fill(me == 1 ? 48 << 20 : 480 << 10);
  line();
  check_all();
  free(numbers), fill(me == 0 ? 48 << 20 : 480 << 10);
  line();
  check_all();
  free(numbers);
  return finish();
}
