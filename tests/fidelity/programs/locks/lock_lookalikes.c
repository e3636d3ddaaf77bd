// Numbers of the program that look like a held read-write lock or mutex except for one word: they stay unchanged.
#include "fidelity.h"

enum { numbers = 256, words = 14, shapes = 3 };

/// Fills a row with what a lock has that this thread holds, but for one word of a mutex or two of a read-write lock.
static void fill(uint32_t* row, int shape, uint32_t number, uint32_t id) {
  memset(row, 0, words * sizeof *row);
  if (shape == 0) row[0] = number, row[6] = id;                                            // futex words are 0
  if (shape == 1) row[0] = 3 + 8 * (number + 4096), row[2] = row[3] = 1, row[6] = id;      // more readers than threads
  if (shape == 2) row[0] = row[1] = 1, row[2] = id, row[3] = 1, row[4] = 1 | 256u << number % 2;   // normal ones have elision
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const uint32_t id = (uint32_t)syscall(SYS_gettid);
  uint32_t(*table)[numbers][words] = calloc(shapes, sizeof *table);
  for (int shape = 0; shape < shapes; ++shape)
    for (uint32_t i = 0; i < numbers; ++i) fill(table[shape][i], shape, i, id);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int shape = 0; shape < shapes; ++shape) {
      int changed = 0;
      for (uint32_t i = 0; i < numbers; ++i) {
        uint32_t expected[words];
        fill(expected, shape, i, id);
        changed += memcmp(table[shape][i], expected, sizeof expected) != 0;
      }
      CHECK(changed == 0, "%d of shape %d", changed, shape);
    }
  }
  free(table);
  return finish();
}
