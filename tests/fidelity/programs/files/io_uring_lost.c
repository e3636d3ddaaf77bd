// Rings of io_uring, which no checkpoint has: a warning names them. In a restarted process their memory is intact, with
// completions that nobody took. But the kernel no longer knows the rings: io_uring_enter ends with EOPNOTSUPP. The
// program can make new ones. If the kernel maps none where the program's memory lies (from Linux 6.4 on), they are in
// the program's own memory.
#include "fidelity.h"

#include <mana/api.h>

#include <linux/io_uring.h>
#include <sys/mman.h>

static struct { int fd; struct io_uring_params made; char* rings; struct io_uring_sqe* requests; } one;

static unsigned* word(unsigned offset) { return (unsigned*)(one.rings + offset); }

static void map_rings(void) {
  CHECK((one.made.features & IORING_FEAT_SINGLE_MMAP) != 0);
  const size_t bytes = one.made.cq_off.cqes + one.made.cq_entries * sizeof(struct io_uring_cqe);
  one.rings = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, one.fd, IORING_OFF_SQ_RING);
  one.requests = mmap(NULL, one.made.sq_entries * sizeof *one.requests, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, one.fd,
                      IORING_OFF_SQES);
  CHECK(one.rings != MAP_FAILED && (void*)one.requests != MAP_FAILED);
}

/// In memory of the program's own (IORING_SETUP_NO_MMAP, Linux 6.5).
static int set_up_in_own(void) {
  one.rings = aligned_alloc(4096, 4096), one.requests = aligned_alloc(4096, 4096);
  memset(&one.made, 0, sizeof one.made);
  one.made.flags = 1u << 14;
  one.made.cq_off.resv2 = (uintptr_t)one.rings, one.made.sq_off.resv2 = (uintptr_t)one.requests;
  memset(one.rings, 0, 4096), memset(one.requests, 0, 4096);
  one.fd = (int)syscall(SYS_io_uring_setup, 8, &one.made);
  return one.fd >= 0;
}

/// out: 0: this machine has none
static int set_up(void) {
  memset(&one.made, 0, sizeof one.made);
  one.fd = (int)syscall(SYS_io_uring_setup, 8, &one.made);
  if (one.fd < 0 && (errno == ENOSYS || errno == EPERM)) return set_up_in_own();
  OK(one.fd);
  map_rings();
  return 1;
}

/// Asks for nothing, whose completion has this data.     out: as io_uring_enter
static int ask(uint64_t data) {
  const unsigned tail = *word(one.made.sq_off.tail), at = tail & *word(one.made.sq_off.ring_mask);
  one.requests[at] = (struct io_uring_sqe){.opcode = IORING_OP_NOP, .user_data = data};
  word(one.made.sq_off.array)[at] = at;
  __atomic_store_n(word(one.made.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
  return (int)syscall(SYS_io_uring_enter, one.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0ul);
}

/// Data of the next completion; 0: there is none.
static uint64_t take(void) {
  unsigned* const head = word(one.made.cq_off.head);
  if (*head == __atomic_load_n(word(one.made.cq_off.tail), __ATOMIC_ACQUIRE)) return 0;
  const struct io_uring_cqe* const done = (struct io_uring_cqe*)(one.rings + one.made.cq_off.cqes) + (*head & *word(one.made.cq_off.ring_mask));
  const uint64_t data = done->user_data;
  __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
  return data;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int is_here = set_up();
  for (int round = 0; is_here && round < 2; ++round) {
    const long before = mana_restarts();
    CHECK(ask(7) == 1 && ask(8) == 1);
    line();
    CHECK(take() == 7 && take() == 8 && take() == 0);
    const int result = ask(9);
    if (mana_restarts() == before) CHECK(result == 1 && take() == 9, "%s", strerror(errno));
    else CHECK(result == -1 && errno == EOPNOTSUPP && take() == 0, "%s", strerror(errno));
    OK(close(one.fd));
    is_here = set_up();
  }
  return finish();
}
