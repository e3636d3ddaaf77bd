// Rings of io_uring, which no checkpoint has: a warning names them. In a restarted process their memory is as it was, with what was
// completed and not taken, but the kernel knows nothing of them: io_uring_enter ends with EOPNOTSUPP. New ones can be made.
#include "../fidelity.h"

#include <mana/api.h>

#include <linux/io_uring.h>
#include <sys/mman.h>

static struct { int fd; struct io_uring_params made; char* rings; struct io_uring_sqe* requests; } one;

static unsigned* word(unsigned offset) { return (unsigned*)(one.rings + offset); }

/// out: 0: this machine has none
static int set_up(void) {
  memset(&one.made, 0, sizeof one.made);
  one.fd = (int)syscall(SYS_io_uring_setup, 8, &one.made);
  if (one.fd < 0 && (errno == ENOSYS || errno == EPERM)) return 0;
  OK(one.fd);
  CHECK((one.made.features & IORING_FEAT_SINGLE_MMAP) != 0);
  const size_t bytes = one.made.cq_off.cqes + one.made.cq_entries * sizeof(struct io_uring_cqe);
  one.rings = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, one.fd, IORING_OFF_SQ_RING);
  one.requests = mmap(NULL, one.made.sq_entries * sizeof *one.requests, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, one.fd,
                      IORING_OFF_SQES);
  CHECK(one.rings != MAP_FAILED && (void*)one.requests != MAP_FAILED);
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
