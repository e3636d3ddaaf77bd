// Static data of several GiB: more than the small code model reaches. Few of its pages are used, some beyond 4 GiB.
#pragma once
#include "fidelity.h"

enum { places = 96 };
static char data[LARGE_BSS_GIB << 30];
static long small = 7;

static char* place_of(int i) { return data + sizeof data / places * (size_t)i + 11; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(sizeof data > 1ul << 32 && small == 7);
  for (int i = 0; i < places; ++i) CHECK(*place_of(i) == 0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < places; ++i) *place_of(i) = (char)(i + 3 * round + 1);
    data[sizeof data - 1] = (char)(5 + round);
    small += 1;
    line();
    for (int i = 0; i < places; ++i) CHECK(*place_of(i) == (char)(i + 3 * round + 1), "%d", i);
    CHECK(data[sizeof data - 1] == 5 + round && small == 8 + round);
    CHECK(data[sizeof data / 2 + 4096] == 0);
    int sum = 0, one = *place_of(places - 1);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);     // from the far end
    CHECK(sum == one * ranks);
    MPI_Bcast(place_of(places - 2), 1000, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  return finish();
}
