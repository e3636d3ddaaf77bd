// A pipe whose writing end is closed, with data left in it; and one whose data is all read.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int left[2], empty[2];
  OK(pipe(left)), OK(pipe(empty));
  CHECK(writes(left[1], "one two"));
  close(left[1]), close(empty[1]);
  char none;
  line();
  CHECK(reads(left[0], "one "));
  CHECK(read(empty[0], &none, 1) == 0);
  line();
  CHECK(reads(left[0], "two"));
  CHECK(read(left[0], &none, 1) == 0 && read(empty[0], &none, 1) == 0);
  return finish();
}
