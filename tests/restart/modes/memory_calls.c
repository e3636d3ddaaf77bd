// Each step does with some block of memory what shows whether it is anonymous memory and one mapping, and then checks all
// blocks. After a lazy restart the blocks are mapped from the image.
#define _GNU_SOURCE
#include "../../mpi/programs/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { blocks = 14, page = 4096, least = 128 * page };

struct block {
  uint32_t* at;
  size_t bytes;
};
static struct block all[blocks];

static uint32_t value(int b, size_t i) { return (uint32_t)(i * 2654435761u) ^ (uint32_t)(b * 40503 + me); }

static void put(int b, size_t from, size_t to) {
  for (size_t i = from / 4; i < to / 4; ++i) all[b].at[i] = value(b, i);
}

static void check_part(int b, size_t from, size_t to) {
  for (size_t i = from / 4; i < to / 4; i += 61) CHECK(all[b].at[i] == value(b, i));
}

static void check_zeros(int b, size_t from, size_t to) {
  for (size_t i = from / 4; i < to / 4; i += 31) CHECK(all[b].at[i] == 0);
}

static void* map(size_t bytes) {
  void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

/// Not libc's: UCX puts a function without the fifth argument in its place.
static void* remap(void* old, size_t bytes, size_t wanted, int flags, void* to) {
  return (void*)syscall(SYS_mremap, old, bytes, wanted, flags, to);
}

static char* bytes_of(int b) { return (char*)all[b].at; }

static void give_back(int b) {
  const size_t half = all[b].bytes / 2 / page * page;
  CHECK(madvise(bytes_of(b), half, MADV_DONTNEED) == 0);
  check_zeros(b, 0, half);
  check_part(b, half, all[b].bytes);
  put(b, 0, half);
}

static void give_back_later(int b) {
  CHECK(madvise(bytes_of(b) + page, 16 * page, MADV_FREE) == 0);
  check_part(b, 17 * page, all[b].bytes);
  put(b, page, 17 * page);
}

static void grow(int b, int flags) {
  const size_t bigger = all[b].bytes + 64 * page;
  void* at = remap(all[b].at, all[b].bytes, bigger, flags, NULL);
  if (flags == 0 && at == MAP_FAILED && errno == ENOMEM) return;      // there is no room behind it
  CHECK(at != MAP_FAILED);
  all[b].at = at;
  check_part(b, 0, all[b].bytes);
  check_zeros(b, all[b].bytes, bigger);
  put(b, all[b].bytes, bigger);
  all[b].bytes = bigger;
}

static void shrink_and_grow(int b) {
  const size_t smaller = all[b].bytes - 32 * page, before = all[b].bytes;
  CHECK(remap(all[b].at, before, smaller, 0, NULL) == all[b].at);
  check_part(b, 0, smaller);
  void* at = remap(all[b].at, smaller, before, MREMAP_MAYMOVE, NULL);
  CHECK(at != MAP_FAILED);
  all[b].at = at;
  check_zeros(b, smaller, before);
  put(b, smaller, before);
}

static void move(int b) {
  void* to = map(all[b].bytes);
  CHECK(remap(all[b].at, all[b].bytes, all[b].bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
  all[b].at = to;
}

static void leave_empty(int b) {
  char* const old = bytes_of(b);
  char* at = remap(old, all[b].bytes, all[b].bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
  if (at == MAP_FAILED && errno == EINVAL) return;      // Linux before 5.7
  CHECK(at != MAP_FAILED);
  for (size_t i = 0; i < all[b].bytes; i += 517) CHECK(old[i] == 0);
  CHECK(munmap(old, all[b].bytes) == 0);
  all[b].at = (uint32_t*)at;
}

/// As one mapping again: the kernel need not join what it has cut.
static void renew(int b, size_t bytes) {
  CHECK(munmap(all[b].at, all[b].bytes) == 0);
  all[b] = (struct block){map(bytes), bytes};
  put(b, 0, bytes);
}

static void protect(int b) {
  CHECK(mprotect(bytes_of(b) + 8 * page, 8 * page, PROT_NONE) == 0);
  CHECK(mprotect(bytes_of(b) + 8 * page, 8 * page, PROT_READ) == 0);
  check_part(b, 0, all[b].bytes);
  CHECK(madvise(bytes_of(b) + 8 * page, page, MADV_DONTNEED) == 0);
  check_zeros(b, 8 * page, 9 * page);
  CHECK(mprotect(bytes_of(b) + 8 * page, 8 * page, PROT_READ | PROT_WRITE) == 0);
  put(b, 8 * page, 9 * page);
  check_part(b, 0, all[b].bytes);
  renew(b, all[b].bytes);
}

static void replace(int b) {
  char* const middle = bytes_of(b) + 20 * page;
  CHECK(munmap(middle, 10 * page) == 0);
  CHECK(madvise(bytes_of(b) + 19 * page, 12 * page, MADV_DONTNEED) == -1 && errno == ENOMEM);      // has a hole now
  CHECK(mmap(middle, 10 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == middle);
  check_zeros(b, 19 * page, 31 * page);
  put(b, 19 * page, 31 * page);
  check_part(b, 0, all[b].bytes);
  renew(b, all[b].bytes);
}

/// The kernel reads and writes the memory itself.
static void call_kernel(int b) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  uint32_t told[page / 4];
  CHECK(write(ends[1], bytes_of(b) + 40 * page, page) == page);
  CHECK(read(ends[0], told, page) == page);
  for (size_t i = 0; i < page / 4; ++i) CHECK(told[i] == value(b, 40 * (page / 4) + i));
  CHECK(write(ends[1], told, page) == page);
  CHECK(read(ends[0], bytes_of(b) + 40 * page, page) == page);
  close(ends[0]);
  close(ends[1]);
}

static void fork_off(int b) {
  const pid_t child = fork();
  if (child == 0) {
    int wrong_here = madvise(all[b].at, 8 * page, MADV_DONTNEED) == 0 && all[b].at[1] == 0 ? 0 : 1;
    if (all[b].at[8 * (page / 4)] != value(b, 8 * (page / 4))) wrong_here |= 2;
    void* at = remap(all[b].at, all[b].bytes, all[b].bytes + page, MREMAP_MAYMOVE, NULL);
    if (at == MAP_FAILED) wrong_here |= 4 | errno << 3;
    else if (((uint32_t*)at)[9 * (page / 4)] != value(b, 9 * (page / 4))) wrong_here |= 8;
    _exit(wrong_here);
  }
  int status = 0;
  const pid_t ended = waitpid(child, &status, 0);
  CHECK(ended == child || errno == ECHILD);      // no restart has it
  CHECK(status == 0, "%x", (unsigned)status);
}

static void act(int kind, int b) {
  switch (kind) {
    case 0: give_back(b); break;
    case 1: give_back_later(b); break;
    case 2: grow(b, MREMAP_MAYMOVE); break;
    case 3: grow(b, 0); break;
    case 4: shrink_and_grow(b); break;
    case 5: move(b); break;
    case 6: leave_empty(b); break;
    case 7: protect(b); break;
    case 8: replace(b); break;
    case 9: call_kernel(b); break;
    case 10: fork_off(b); break;
    default: break;      // is only looked at
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int b = 0; b < blocks; ++b) {
    all[b] = (struct block){map(least), least};
    put(b, 0, least);
  }
  for (int k = 0; k < steps; ++k) {
    for (int b = 0; b < blocks; ++b) act((k + b) % blocks, b);
    for (int b = 0; b < blocks; ++b) check_part(b, 0, all[b].bytes);
    if (all[0].bytes > 8 * least)
      for (int b = 0; b < blocks; ++b) renew(b, least);
    MPI_Barrier(MPI_COMM_WORLD);
    step(k);
  }
  return finish();
}
