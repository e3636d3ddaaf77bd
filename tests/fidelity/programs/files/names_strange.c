// Open files whose names look like something else, are no text, or end as those of deleted files do.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const char* const names[] = {
      "with space\nand line", "not \xff\xfe text", "f (deleted)", "pipe:[12]", "\"quoted\\\"", "%s%n"};
  enum { many = sizeof names / sizeof *names };
  int fds[many];
  for (int i = 0; i < many; ++i) {
    OK(fds[i] = open(in(names[i]), O_RDWR | O_CREAT, 0644));
    CHECK(writes(fds[i], "one "));
  }
  for (int times = 0; times < 2; ++times) {
    line();
    for (int i = 0; i < many; ++i) {
      CHECK(writes(fds[i], "two "));
      CHECK(holds(names[i], times == 0 ? "one two " : "one two two "), "%d", i);
    }
  }
  leave_place();
  return finish();
}
