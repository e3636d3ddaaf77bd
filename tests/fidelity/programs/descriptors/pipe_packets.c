// A pipe that keeps what is written apart (O_DIRECT).
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int ends[2];
  OK(pipe2(ends, O_DIRECT));
  for (int times = 0; times < 2; ++times) {
    CHECK(writes(ends[1], "one") && writes(ends[1], "second"));
    line();
    char found[16];
    CHECK(read(ends[0], found, sizeof found) == 3);
    CHECK(writes(ends[1], "third"));
    CHECK(read(ends[0], found, sizeof found) == 6);
    CHECK(read(ends[0], found, sizeof found) == 5);
  }
  return finish();
}
