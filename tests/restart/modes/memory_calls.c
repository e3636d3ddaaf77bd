// Each step does with some block of memory what shows whether it is anonymous memory and one mapping, and then checks all
// blocks. After a lazy restart the blocks are mapped from the image, and behave as before (INV-40).
#define _GNU_SOURCE
#include "../../mpi/programs/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { blocks = 17, page = 4096, least = 128 * page };

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

/// The kernel may have two mappings of it now, where the program has one: where memory is tracked, new memory is not.
static void renew_part(int b, size_t from, size_t to) {
  char* const at = bytes_of(b) + from;
  CHECK(mmap(at, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
  check_zeros(b, from, to);
  put(b, from, to);
  check_part(b, 0, all[b].bytes);
}

/// The last block has no neighbour that the kernel could join its beginning with, and is always at home: what has moved the kernel
/// joins with nothing new.
enum { lone = blocks - 1 };

static void map_lone(void) {
  char* const room = mmap(NULL, 3 * least, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(room != MAP_FAILED && mprotect(room + least, least, PROT_READ | PROT_WRITE) == 0);
  all[lone] = (struct block){(uint32_t*)(room + least), least};
  put(lone, 0, least);
}

/// Moves to `at` and back, of which the first is longer by `more`.
static void move_lone(int flags, size_t more, void* to) {
  uint32_t* const home = all[lone].at;
  void* const at = remap(home, least, least + more, MREMAP_MAYMOVE | flags, to);
  CHECK(at != MAP_FAILED, "%d", errno);
  if (at == MAP_FAILED) return;
  all[lone].at = at;
  check_part(lone, 0, least);
  check_zeros(lone, least, least + more);
  for (size_t i = 0; i < least / 4; i += 517) CHECK((flags & MREMAP_DONTUNMAP) == 0 || home[i] == 0);
  CHECK(remap(at, least + more, least, MREMAP_MAYMOVE | MREMAP_FIXED, home) == home);
  all[lone].at = home;
  check_part(lone, 0, least);
}

static void resize_lone(void) {
  CHECK(remap(all[lone].at, least, least / 2, 0, NULL) == all[lone].at);
  const void* const at = remap(all[lone].at, least / 2, least, 0, NULL);
  if (at == MAP_FAILED && errno == ENOMEM) {      // as long as it is mapped from an image
    char* const end = bytes_of(lone) + least / 2;
    CHECK(mmap(end, least / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == end);
  } else {
    CHECK(at == all[lone].at, "%d", errno);
  }
  check_part(lone, 0, least / 2);
  check_zeros(lone, least / 2, least);
  put(lone, least / 2, least);
}

static void act_on_lone(int kind) {
  renew_part(lone, 0, least / 4);
  if (kind == 0) move_lone(MREMAP_DONTUNMAP, 0, NULL);
  if (kind == 1) move_lone(MREMAP_FIXED, 0, map(least));
  if (kind == 2) move_lone(MREMAP_FIXED, 32 * page, map(least + 32 * page));
  if (kind == 3) resize_lone();
}

/// A failure leaves all as it was.
static void fail_to_move(int b) {
  char* const old = bytes_of(b);
  CHECK(remap(old, all[b].bytes, all[b].bytes, MREMAP_MAYMOVE | MREMAP_FIXED, old + page) == MAP_FAILED && errno == EINVAL);
  CHECK(munmap(old + 64 * page, page) == 0);
  CHECK(remap(old, all[b].bytes, all[b].bytes + page, MREMAP_MAYMOVE, NULL) == MAP_FAILED && errno == EFAULT);
  check_part(b, 0, 64 * page);
  check_part(b, 65 * page, all[b].bytes);
  renew(b, all[b].bytes);
}

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#define GUARD_INSTALL 102
#define GUARD_REMOVE 103

static void give_back_by_process(int b) {
  const struct iovec parts[2] = {{bytes_of(b), 16 * page}, {bytes_of(b) + 32 * page, 8 * page}};
  const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
  CHECK(self >= 0);
  const long given = syscall(SYS_process_madvise, self, parts, 2, MADV_DONTNEED, 0);
  close(self);
  if (given < 0) {      // Linux before 6.13
    CHECK(errno == EINVAL || errno == ENOSYS);
    return check_part(b, 0, all[b].bytes);
  }
  CHECK(given == 24 * page);
  check_zeros(b, 0, 16 * page);
  check_part(b, 16 * page, 32 * page);
  check_zeros(b, 32 * page, 40 * page);
  put(b, 0, 40 * page);
}

static void guard(int b) {
  if (madvise(bytes_of(b) + 8 * page, 8 * page, GUARD_INSTALL) != 0) {      // Linux before 6.13
    CHECK(errno == EINVAL);
    return check_part(b, 0, all[b].bytes);
  }
  CHECK(madvise(bytes_of(b), all[b].bytes, GUARD_REMOVE) == 0);
  check_zeros(b, 8 * page, 16 * page);
  put(b, 8 * page, 16 * page);
}

/// out: what the child says that looks at a page; 128 + the signal that it died of
static int seen_by_child(const volatile uint32_t* at) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    _exit(*at == 0 ? 1 : 2);
  }
  int status = 0;
  const pid_t ended = waitpid(child, &status, 0);
  if (ended < 0) return -1;      // no restart has it
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// What a child gets of it stays so when the memory is given back.
static void keep_from_child(int b) {
  CHECK(madvise(all[b].at, all[b].bytes, MADV_DONTFORK) == 0);
  CHECK(madvise(bytes_of(b), 16 * page, MADV_DONTNEED) == 0);
  check_zeros(b, 0, 16 * page);
  const int seen = seen_by_child(all[b].at);
  CHECK(seen == 128 + SIGSEGV || seen == -1, "%d", seen);
  put(b, 0, 16 * page);
  CHECK(madvise(all[b].at, all[b].bytes, MADV_DOFORK) == 0);
}

static void wipe_in_child(int b) {
  CHECK(madvise(all[b].at, all[b].bytes, MADV_WIPEONFORK) == 0);
  check_part(b, 0, all[b].bytes);
  const int seen = seen_by_child(all[b].at);
  CHECK(seen == 1 || seen == -1, "%d", seen);
  CHECK(madvise(all[b].at, all[b].bytes, MADV_KEEPONFORK) == 0);
}

/// A forked writer of images is a child, too.
static int with_children_advice;

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
    case 11: fail_to_move(b); break;
    case 12: give_back_by_process(b); guard(b); break;
    case 13:
      if (!with_children_advice) break;
      keep_from_child(b);
      wipe_in_child(b);
      break;
    default: break;      // is only looked at
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  with_children_advice = argc > 3 && strcmp(argv[3], "children") == 0;
  map_lone();
  for (int b = 0; b < lone; ++b) {
    all[b] = (struct block){map(least), least};
    put(b, 0, least);
  }
  for (int k = 0; k < steps; ++k) {
    for (int b = 0; b < lone; ++b) act((k + b) % lone, b);
    act_on_lone(k % 4);
    for (int b = 0; b < blocks; ++b) check_part(b, 0, all[b].bytes);
    if (all[0].bytes > 8 * least)
      for (int b = 0; b < lone; ++b) renew(b, least);
    MPI_Barrier(MPI_COMM_WORLD);
    step(k);
  }
  return finish();
}
