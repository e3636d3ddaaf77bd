// A file to which two descriptors append, each from its own opening, and a third that does not append.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int one = open(in("log"), O_WRONLY | O_CREAT | O_APPEND, 0644), two = open(in("log"), O_RDWR | O_APPEND);
  const int reader = open(in("log"), O_RDONLY);
  CHECK(writes(one, "a1 "));
  CHECK(writes(two, "b1 "));
  CHECK(writes(one, "a2 "));
  CHECK(reads(reader, "a1"));
  line();
  CHECK((fcntl(one, F_GETFL) & O_APPEND) != 0);
  CHECK(writes(two, "b2 "));
  CHECK(writes(one, "a3 "));
  CHECK(reads(reader, " b1"));
  line();
  CHECK(writes(one, "a4 "));
  OK(lseek(two, 0, SEEK_SET));
  CHECK(writes(two, "b3"));
  CHECK(reads(reader, " a2 b2 a3 a4 b3"));
  CHECK(holds("log", "a1 b1 a2 b2 a3 a4 b3"));
  leave_place();
  return finish();
}
