// A FIFO of the file system with data in it.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkfifo(in("fifo"), 0600));
  const int both = open(in("fifo"), O_RDWR), reader = open(in("fifo"), O_RDONLY), writer = open(in("fifo"), O_WRONLY);
  close(both);
  CHECK(writes(writer, "one "));
  line();
  OK(fcntl(reader, F_SETFL, O_NONBLOCK));
  CHECK(reads(reader, "one "), "%s", strerror(errno));
  CHECK(writes(writer, "two "));
  line();
  CHECK(reads(reader, "two "), "%s", strerror(errno));
  close(writer);
  char none;
  CHECK(read(reader, &none, 1) == 0);
  leave_place();
  return finish();
}
