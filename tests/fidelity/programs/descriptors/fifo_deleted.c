// A FIFO that is open at both ends and deleted.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkfifo(in("a fifo"), 0600));
  const int reader = open(in("a fifo"), O_RDONLY | O_NONBLOCK), writer = open(in("a fifo"), O_WRONLY);
  OK(unlink(in("a fifo")));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(strcmp(last_part_of_descriptor(reader), "a fifo (deleted)") == 0, "%s", last_part_of_descriptor(reader));
    CHECK(writes(writer, "text"));
    CHECK(reads(reader, "text"), "%s", strerror(errno));
  }
  leave_place();
  return finish();
}
