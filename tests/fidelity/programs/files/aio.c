// Asynchronous reads and writes (aio_read, lio_listio): finished before a line and fetched after it, and more begun in
// between.
#include "place.h"

#include <aio.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("from", "0123456789abcdefghij");
  const int from = open(in("from"), O_RDONLY), to = open(in("to"), O_RDWR | O_CREAT, 0600);
  int ends[2];
  OK(pipe(ends));
  char text[3][8] = {"", "", ""}, waited = 0;
  for (int round = 0; round < 2; ++round) {
    struct aiocb reads_it = {.aio_fildes = from, .aio_buf = text[0], .aio_nbytes = 5, .aio_offset = 5 * round};
    struct aiocb writes_it = {.aio_fildes = to, .aio_buf = "written", .aio_nbytes = 7, .aio_offset = 7 * round};
    struct aiocb waits = {.aio_fildes = ends[0], .aio_buf = &waited, .aio_nbytes = 1};
    struct aiocb* const both[2] = {&reads_it, &writes_it};
    reads_it.aio_lio_opcode = LIO_READ, writes_it.aio_lio_opcode = LIO_WRITE;
    OK(lio_listio(LIO_WAIT, both, 2, NULL)), OK(aio_read(&waits));
    line();
    CHECK(aio_error(&reads_it) == 0 && aio_return(&reads_it) == 5 &&
          !memcmp(text[0], round == 0 ? "01234" : "56789", 5));
    CHECK(aio_error(&writes_it) == 0 && aio_return(&writes_it) == 7);
    CHECK(aio_error(&waits) == EINPROGRESS, "%s", strerror(aio_error(&waits)));
    CHECK(write(ends[1], &"xy"[round], 1) == 1);
    const struct aiocb* const one[1] = {&waits};
    OK(aio_suspend(one, 1, NULL));
    CHECK(aio_error(&waits) == 0 && aio_return(&waits) == 1 && waited == "xy"[round], "%c", waited);
  }
  CHECK(holds("to", "writtenwritten"));
  leave_place();
  return finish();
}
