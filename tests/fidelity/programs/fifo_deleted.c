// A FIFO that is open at both ends and deleted.
#include "../place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkfifo(in("fifo"), 0600));
  const int reader = open(in("fifo"), O_RDONLY | O_NONBLOCK), writer = open(in("fifo"), O_WRONLY);
  OK(unlink(in("fifo")));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(writes(writer, "text"));
    CHECK(reads(reader, "text"), "%s", strerror(errno));
  }
  leave_place();
  return finish();
}
