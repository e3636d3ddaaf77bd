// Data written to a file before the checkpoint and after it. A run that dies after the first line, once, restarts from
// there, and no byte is twice in the file. DIE_ONCE in the environment asks for that.
#include "place.h"

#include <signal.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("inside", "0123456789");
  const int append = open(in("append"), O_WRONLY | O_CREAT | O_APPEND, 0644),
            out = open(in("out"), O_RDWR | O_CREAT, 0644);
  const int inside = open(in("inside"), O_RDWR);
  FILE* const stream = fopen(in("stream"), "w");
  CHECK(writes(append, "one "));
  CHECK(writes(out, "one "));
  CHECK(reads(inside, "01234"));
  fputs("one ", stream), fflush(stream), fputs("two ", stream);
  line();
  CHECK(writes(append, "two "));
  CHECK(writes(out, "two "));
  CHECK(writes(inside, "a"));
  fputs("three ", stream), fflush(stream);
  if (getenv("DIE_ONCE") != NULL && mkdir(in("died"), 0700) == 0) raise(SIGKILL);
  line();
  CHECK(writes(append, "three"));
  CHECK(writes(out, "three"));
  CHECK(reads(inside, "6789"));
  fputs("four", stream);
  CHECK(fclose(stream) == 0);
  CHECK(holds("append", "one two three"));
  CHECK(holds("out", "one two three"));
  CHECK(holds("inside", "01234a6789"));
  CHECK(holds("stream", "one two three four"));
  leave_place();
  return finish();
}
