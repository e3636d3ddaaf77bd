// Rank 1 meets the first line deep in recursion, rank 0 the second; each frame has kept what it had on the way back.
// ranks: 2
#include "pair.h"

static long descend(int depth, int seed) {
  volatile char room[500];
  memset((void*)room, depth & 127, sizeof room);
  if (depth == 0) {
    line();
    return seed;
  }
  const long below = descend(depth - 1, seed);
  for (size_t i = 0; i < sizeof room; ++i) if (room[i] != (depth & 127)) return -1;
  return below < 0 ? below : below + 1;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    if (me != round) CHECK(descend(5000, 3) == 5003);       // some 3 MB
    else line();
    CHECK(exchange(me) == other());
  }
  return finish();
}
