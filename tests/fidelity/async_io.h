// The kernel's asynchronous input and output, as libaio has it: system calls, and the ring that the context's number is the address of.
#pragma once
#include "fidelity.h"

#include <linux/aio_abi.h>
#include <poll.h>

struct ring {
  unsigned id, events, head, tail, magic, compatible, incompatible, header_bytes;
  struct io_event event[];
};

static inline struct ring* ring_of(aio_context_t context) { return (struct ring*)context; }

/// out: 0: this system has no such contexts
static inline aio_context_t new_context(unsigned requests) {
  aio_context_t made = 0;
  const long result = syscall(SYS_io_setup, requests, &made);
  CHECK(result == 0 || errno == ENOSYS || errno == EPERM, "%s", strerror(errno));
  return result == 0 ? made : 0;
}

static inline struct iocb request_of(int what, int fd, const void* memory, size_t bytes, long long offset, uint64_t data) {
  return (struct iocb){.aio_lio_opcode = (uint16_t)what, .aio_fildes = (uint32_t)fd, .aio_buf = (uint64_t)(uintptr_t)memory,
                       .aio_nbytes = bytes, .aio_offset = offset, .aio_data = data};
}

static inline int submit(aio_context_t context, struct iocb* request) {
  return syscall(SYS_io_submit, context, 1L, &request) == 1;
}

/// The next event's aio_data, if its result is this one; 0: there is none within a minute.
static inline uint64_t take(aio_context_t context, long long result) {
  const struct timespec most = {60, 0};
  struct io_event event = {0};
  if (syscall(SYS_io_getevents, context, 1L, 1L, &event, &most) != 1) return 0;
  CHECK(event.res == result, "%lld instead of %lld", (long long)event.res, result);
  return event.data;
}

/// The same without the kernel; 0: there is none.
static inline uint64_t take_from_ring(aio_context_t context) {
  struct ring* const ring = ring_of(context);
  const unsigned head = ring->head;
  if (head == __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) return 0;
  const uint64_t data = ring->event[head].data;
  __atomic_store_n(&ring->head, (head + 1) % ring->events, __ATOMIC_RELEASE);
  return data;
}

static inline int is_idle(aio_context_t context) {
  struct io_event event;
  const struct timespec none = {0, 0};
  return syscall(SYS_io_getevents, context, 0L, 1L, &event, &none) == 0 && ring_of(context)->head == ring_of(context)->tail;
}
