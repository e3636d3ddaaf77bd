// The execution domain: addresses not randomized, for the programs that this one starts.
#include "fidelity.h"

#include <sys/personality.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(personality(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT));
  for (int round = 0; round < 2; ++round) {
    line();
    const int now = personality(0xffffffff);
    CHECK(now == (ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT), "%x", (unsigned)now);
  }
  return finish();
}
