// Trapped calls, each of whose pointers names memory of many kinds. Results, errors and written bytes are the kernel's,
// before and after checkpoints. After a restart more calls are trapped, those of clocks.
#include "fidelity.h"
#include "../../../loader/programs/bad_pointers.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  try_all("at first");
  line();
  try_all("after a line");
  line();
  try_all("after two lines");
  return finish();
}
