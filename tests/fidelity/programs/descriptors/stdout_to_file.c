// Standard output and error redirected into one file by dup2, and back.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  fflush(stdout);
  const int kept = dup(1), file = open(in("log"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  OK(dup2(file, 1));
  OK(dup2(1, 2));
  close(file);
  puts("one"), fflush(stdout);
  line();
  puts("two"), fflush(stdout), fputs("error\n", stderr);
  OK(dup2(kept, 2));
  line();
  puts("three"), fflush(stdout);
  const int as_written = holds("log", "one\ntwo\nerror\nthree\n");
  OK(dup2(kept, 1));
  CHECK(as_written);
  leave_place();
  return finish();
}
