// The devices that every machine has.
#include "fidelity.h"

#include <fcntl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int null = open("/dev/null", O_RDWR), zero = open("/dev/zero", O_RDONLY), full = open("/dev/full", O_RDWR);
  const int random = open("/dev/urandom", O_RDONLY);
  for (int times = 0; times < 2; ++times) {
    unsigned char bytes[256], others[256];
    CHECK(read(random, others, sizeof others) == sizeof others);
    line();
    CHECK(read(null, bytes, 1) == 0 && write(null, bytes, sizeof bytes) == sizeof bytes);
    CHECK(read(zero, bytes, sizeof bytes) == sizeof bytes && bytes[0] == 0 && bytes[255] == 0);
    CHECK(write(full, bytes, 1) == -1 && errno == ENOSPC);
    CHECK(read(full, bytes, 1) == 1 && bytes[0] == 0);
    CHECK(read(random, bytes, sizeof bytes) == sizeof bytes && memcmp(bytes, others, sizeof bytes) != 0);
  }
  return finish();
}
