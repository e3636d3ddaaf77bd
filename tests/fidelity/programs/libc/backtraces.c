// Stacks that are unwound: backtrace() finds the same frames after a line, and the list of loaded objects stays.
#include "fidelity.h"

#include <execinfo.h>
#include <link.h>

static void* frames[3][32];
static int counts[3];
static volatile int never_inlined;
__attribute__((noinline)) static void here(int round) { counts[round] = backtrace(frames[round], 32), ++never_inlined; }
__attribute__((noinline)) static void above(int round) { here(round), ++never_inlined; }

struct list {
  int count;
  unsigned long sum;
};
static int add(struct dl_phdr_info* info, size_t size, void* extra) {
  struct list* const list = extra;
  (void)size;
  ++list->count, list->sum += info->dlpi_addr;
  return 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  void* first[4];
  backtrace(first, 4);                                  // opens the library that unwinds
  struct list before = {0, 0};
  dl_iterate_phdr(add, &before);
  for (int round = 0; round < 3; ++round) {
    above(round);
    CHECK(counts[round] == counts[0] && counts[0] >= 4, "%d", counts[round]);
    for (int i = 0; i < 2; ++i) CHECK(frames[round][i] == frames[0][i], "frame %d", i);
    for (int i = 3; i < counts[0]; ++i) CHECK(frames[round][i] == frames[0][i], "frame %d", i);
    struct list now = {0, 0};
    dl_iterate_phdr(add, &now);
    CHECK(now.count == before.count && now.sum == before.sum, "%d", now.count);
    if (round < 2) line();
  }
  return finish();
}
