// Rank 0 has three hundred files open at offsets of their own, rank 1 three; the same numbers mean other files there.
// ranks: 2
#include "pair.h"

enum { most = 300 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  int all[most];
  const int count = me == 0 ? most : 3;
  char name[32];
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof name, "of-%d-%d", me, i);
    make_file(name, "0123456789");
    OK(all[i] = open(in(name), O_RDONLY));
    OK(lseek(all[i], i % 7, SEEK_SET));
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (int i = 0; i < count; ++i) {
      char found = 0;
      CHECK(read(all[i], &found, 1) == 1 && found == '0' + i % 7 + round, "file %d: %c", i, found);
    }
    together();
  }
  for (int i = 0; i < count; ++i) OK(close(all[i]));
  leave_common_place();
  return finish();
}
