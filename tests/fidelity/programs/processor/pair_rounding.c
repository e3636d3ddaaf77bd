// Rounding modes and flush to zero that differ between the ranks, with sums of MPI's in between.
// ranks: 2
// flags: -lm
#include "pair.h"

#include <fenv.h>
#include <xmmintrin.h>

static volatile double one = 1, three = 3, tiny = 1e-308;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int mode = me == 0 ? FE_UPWARD : FE_DOWNWARD;
  CHECK(fesetround(mode) == 0);
  if (me == 1) _mm_setcsr(_mm_getcsr() | 0x8000);
  const double third = one / three;
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(fegetround() == mode, "%x", (unsigned)fegetround());
    CHECK(one / three == third);
    CHECK((tiny / 10 == 0) == (me == 1), "%g", tiny / 10);
    double thirds[2] = {0, 0};
    MPI_Allgather(&third, 1, MPI_DOUBLE, thirds, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(thirds[0] > thirds[1]);
    CHECK(fegetround() == mode);
  }
  return finish();
}
