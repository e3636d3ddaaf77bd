// Files that have another name than when they were opened; one's old name now belongs to another file.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("old", "first second");
  const int fd = open(in("old"), O_RDWR), out = open(in("part"), O_WRONLY | O_CREAT, 0644);
  CHECK(reads(fd, "first "));
  CHECK(writes(out, "one "));
  OK(rename(in("old"), in("new")));
  make_file("old", "another");
  line();
  CHECK(reads(fd, "second"));
  CHECK(writes(fd, " third"));
  CHECK(writes(out, "two "));
  OK(rename(in("part"), in("whole")));
  OK(mkdir(in("below"), 0755));
  OK(rename(in("new"), in("below/new")));
  line();
  CHECK(writes(fd, " fourth"));
  CHECK(writes(out, "three"));
  CHECK(holds("old", "another"));
  CHECK(holds("below/new", "first second third fourth"));
  CHECK(holds("whole", "one two three"));
  leave_place();
  return finish();
}
