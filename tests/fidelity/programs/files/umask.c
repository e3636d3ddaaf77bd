// The mask of modes of new files.
#include "fidelity.h"

#include <sys/stat.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  umask(0137);
  line();
  const mode_t one = umask(0071);
  CHECK(one == 0137, "%o", one);
  line();
  const mode_t two = umask(022);
  CHECK(two == 0071, "%o", two);
  return finish();
}
