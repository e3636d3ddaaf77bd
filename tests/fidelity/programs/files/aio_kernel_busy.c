// INV-80: Requests of the kernel's asynchronous input and output that are under way at a line. The checkpoint waits for
// writes to a disk and for fsync. A request for a pipe that may never be ready (IOCB_CMD_POLL) makes mana give the
// checkpoint up until the request has ended.
#include "async_io.h"
#include "place.h"

#include <mana/api.h>

enum { parts = 16, part_bytes = 1 << 20 };
static int given_up;

static void note_given_up(enum mana_event event, const struct mana_hook_info* info, void* extra) {
  (void)event, (void)extra;
  if (!info->durable) __atomic_fetch_add(&given_up, 1, __ATOMIC_SEQ_CST);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  mana_hook_add(MANA_RESUMED, note_given_up, NULL);
  make_place();
  int fd = open(in("file"), O_RDWR | O_CREAT | O_DIRECT, 0600), ends[2];
  if (fd < 0) fd = open(in("file"), O_RDWR | O_CREAT, 0600);      // a file system that has no such
  OK(pipe(ends));
  char* const memory = aligned_alloc(4096, (size_t)parts * part_bytes);
  const aio_context_t context = new_context(64);
  for (int round = 0; context != 0 && round < 2; ++round) {
    struct iocb waits = request_of(IOCB_CMD_POLL, ends[0], NULL, 0, 0, 99), request[parts + 1], *list[parts + 1];
    waits.aio_buf = POLLIN;
    const int refused = what_at(round) == 'g', before = given_up;
    if (refused) {
      CHECK(submit(context, &waits));
      OK(mana_checkpoint(MANA_GO_ON));
      CHECK(comes_to(&given_up, before + 1));
      CHECK(write(ends[1], "x", 1) == 1 && take(context, POLLIN | POLLRDNORM) == 99);
      CHECK(read(ends[0], memory, 1) == 1);
    }
    memset(memory, 'a' + round, (size_t)parts * part_bytes);
    for (int i = 0; i <= parts; ++i) list[i] = &request[i];
    for (int i = 0; i < parts; ++i)
      request[i] = request_of(IOCB_CMD_PWRITE, fd, memory + i * part_bytes, part_bytes, (long long)i * part_bytes, (uint64_t)i + 1);
    request[parts] = request_of(IOCB_CMD_FSYNC, fd, NULL, 0, 0, parts + 1);
    CHECK(syscall(SYS_io_submit, context, (long)parts + 1, list) == parts + 1, "%s", strerror(errno));
    line();
    uint64_t sum = 0;
    for (int i = 0; i <= parts; ++i) {
      const struct timespec most = {30, 0};
      struct io_event event = {0};
      CHECK(syscall(SYS_io_getevents, context, 1L, 1L, &event, &most) == 1, "event %d", i);
      CHECK(event.res == (event.data == parts + 1 ? 0 : part_bytes), "%lld", (long long)event.res);
      sum += event.data;
    }
    CHECK(sum == (parts + 1) * (parts + 2) / 2 && is_idle(context));
    memset(memory, 0, part_bytes);
    CHECK(pread(fd, memory, part_bytes, (parts - 1) * (long)part_bytes) == part_bytes && memory[part_bytes - 1] == 'a' + round);
  }
  if (context != 0) OK(syscall(SYS_io_destroy, context));
  leave_place();
  return finish();
}
