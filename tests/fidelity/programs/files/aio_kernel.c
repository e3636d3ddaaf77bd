// INV-80: Contexts of the kernel's asynchronous input and output (io_setup): idle ones, and events that nobody has
// taken, also at the ring's end and with an eventfd. The program takes the events from the kernel and from the ring,
// and makes new requests.
#include "async_io.h"
#include "place.h"

#include <sys/eventfd.h>

static char text[8] = "written";

static void write_some(aio_context_t context, int fd, uint64_t first, int count) {
  for (int i = 0; i < count; ++i) {
    struct iocb request = request_of(IOCB_CMD_PWRITE, fd, text, 7, 0, first + (uint64_t)i);
    CHECK(submit(context, &request), "%s", strerror(errno));
  }
}

/// So that the ring's end lies among the events that come next.
static void go_to_end(aio_context_t context, int fd) {
  for (unsigned left = ring_of(context)->events - 2 - ring_of(context)->tail; left > 0; --left) {
    write_some(context, fd, 1, 1);
    CHECK(take(context, 7) == 1);
  }
}

static void destroy_and_make(aio_context_t* context) {
  const aio_context_t gone = *context;
  OK(syscall(SYS_io_destroy, gone));
  CHECK(syscall(SYS_io_destroy, gone) == -1 && errno == EINVAL);
  *context = new_context(3);
  CHECK(*context != 0 && is_idle(*context));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = open(in("file"), O_RDWR | O_CREAT, 0600), event = eventfd(0, EFD_NONBLOCK);
  aio_context_t idle = new_context(8), some = new_context(64), wraps = new_context(8), many = new_context(2000), unused = new_context(1);
  const int is_here = idle != 0;
  if (is_here) go_to_end(wraps, fd), write_some(some, fd, 100, 5), CHECK(take(some, 7) == 100);
  for (int round = 0; is_here && round < 2; ++round) {
    const unsigned rooms[2] = {ring_of(idle)->events, ring_of(many)->events};
    write_some(wraps, fd, 10, 6);
    const unsigned head = ring_of(wraps)->head, tail = ring_of(wraps)->tail;
    CHECK(round == 1 || head > tail, "%u %u", head, tail);
    write_some(many, fd, 1, 1000);
    struct iocb request = request_of(IOCB_CMD_PWRITE, fd, "told", 4, 7, 21);
    request.aio_flags = IOCB_FLAG_RESFD, request.aio_resfd = (uint32_t)event;
    CHECK(submit(idle, &request));
    line();
    CHECK(ring_of(idle)->magic == 0xa10a10a1 && ring_of(idle)->events >= rooms[0] && ring_of(many)->events >= rooms[1]);
    CHECK(ring_of(wraps)->head == head && ring_of(wraps)->tail == tail);
    for (uint64_t i = 10; i < 13; ++i) CHECK(take(wraps, 7) == i);
    for (uint64_t i = 13; i < 16; ++i) CHECK(take_from_ring(wraps) == i);
    CHECK(is_idle(wraps));
    for (uint64_t i = 1; i <= 1000; ++i) CHECK((i % 2 ? take(many, 7) : take_from_ring(many)) == i);
    for (uint64_t i = 1; round == 0 && i < 5; ++i) CHECK(take(some, 7) == 100 + i);
    CHECK(is_idle(some) && is_idle(many));
    uint64_t told = 0;
    CHECK(read(event, &told, 8) == 8 && told == 1 && take(idle, 4) == 21 && read(event, &told, 8) == -1);
    CHECK(submit(idle, &request) && take(idle, 4) == 21 && read(event, &told, 8) == 8 && told == 1);
    CHECK(holds("file", "writtentold"));
    destroy_and_make(&unused);
  }
  for (aio_context_t* c = (aio_context_t[]){idle, some, wraps, many, unused, 0}; *c != 0; ++c) OK(syscall(SYS_io_destroy, *c));
  leave_place();
  return finish();
}
