// A file that has lost the name by which it was opened, and has another.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = open(in("one"), O_RDWR | O_CREAT, 0644);
  CHECK(writes(fd, "before "));
  OK(link(in("one"), in("other")));
  OK(unlink(in("one")));
  line();
  CHECK(writes(fd, "between "));
  CHECK(holds("other", "before between "));
  line();
  CHECK(writes(fd, "after"));
  CHECK(holds("other", "before between after"));
  leave_place();
  return finish();
}
