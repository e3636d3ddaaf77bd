// Standard output in the middle of a line, and back from a file to which it was redirected.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  setvbuf(stdout, NULL, _IOFBF, 1 << 12);
  printf("a line that is begun, ");
  line();
  printf("gone on, ");
  line();
  printf("and ended\n");
  fflush(stdout);
  return leave_place(), finish();
}
