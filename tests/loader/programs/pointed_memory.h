/* A call is made with one of its pointers naming memory of many kinds; what it returns and writes is printed. */
#ifndef MANA_POINTED_MEMORY_H
#define MANA_POINTED_MEMORY_H
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind {
  k_fine,
  k_stack,
  k_null,
  k_low,
  k_high,
  k_odd,
  k_unmapped,
  k_none,
  k_read,
  k_write,
  k_fits,
  k_cut,
  k_half,
  k_first,
  kinds
};
static const char* const kind_names[] = {"fine", "stack", "null",  "low",  "high", "odd",  "unmapped",
                                         "none", "read",  "write", "fits", "cut",  "half", "first"};
enum { page = 4096, room = 512 }; /* room: of what is printed of one row */
enum { plain = 0, varies = 1, opens = 2, waits = 4, forks = 8, endless = 16 };
#define HERE ((long)0x5eed5eed) /* the argument that is tried */

struct row {
  const char* name;
  int flags; /* varies: what is written is not compared; opens: the same, descriptors; waits: where all can be read;
              * endless: without it */
  const void* sample; /* what lies there; NULL: nothing that is read */
  size_t bytes;
  long number, arguments[6];
  void (*before)(void);
};

static char* place; /* two pages */
enum { most_descriptors = 64 };
static char was_open[most_descriptors]; /* before the call */

struct outcome {
  long result;
  int error;
  unsigned char was[2 * page], is[2 * page];
};

static char* address_of(enum kind kind, size_t bytes) {
  switch (kind) {
    case k_null: return NULL;
    case k_low: return (char*)16;
    case k_high: return (char*)0xffff800000001000;
    case k_odd: return (char*)0x800000000000;
    case k_fits: return place + page - bytes;
    case k_cut: return place + page - bytes + 1;
    case k_half: return place + page - bytes / 2;
    case k_first: return place + page - 1;
    default: return place + 64;
  }
}
static void protect(enum kind kind) {
  switch (kind) {
    case k_unmapped: munmap(place, 2 * page); break;
    case k_none: mprotect(place, 2 * page, PROT_NONE); break;
    case k_read: mprotect(place, 2 * page, PROT_READ); break;
    case k_write: mprotect(place, 2 * page, PROT_WRITE); break;
    case k_fits:
    case k_cut:
    case k_half: mprotect(place + page, page, PROT_NONE); break;
    case k_first: munmap(place + page, page); break;
    default: break;
  }
}
static void map_place(void) {
  place = mmap(place, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);
}

static long make(const struct row* row, const char* pointer) {
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = row->arguments[i] == HERE ? (long)pointer : row->arguments[i];
  const long result = syscall(row->number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if ((row->flags & forks) != 0 && result == 0) _exit(0);
  return result;
}

static void note_descriptors(void) {
  for (int fd = 0; fd < most_descriptors; ++fd) was_open[fd] = fcntl(fd, F_GETFD) >= 0;
}
static void after(const struct row* row, long result) {
  if ((row->flags & forks) != 0 && result > 0)
    while (waitpid((pid_t)result, NULL, 0) < 0 && errno == EINTR) {}
  for (int fd = 0; fd < most_descriptors; ++fd)
    if (!was_open[fd]) close(fd);
}

static void try_once(const struct row* row, enum kind kind, int filling, struct outcome* out) {
  char local[room];
  note_descriptors();
  if (row->before != NULL) row->before();
  map_place();
  memset(place, filling, 2 * page);
  char* pointer = address_of(kind, row->bytes);
  if (kind == k_stack) pointer = memset(local, filling, sizeof local);
  const int is_there = kind == k_fine || kind >= k_unmapped;
  if (row->sample != NULL && is_there) memcpy(pointer, row->sample, row->bytes);
  if (row->sample != NULL && kind == k_stack) memcpy(pointer, row->sample, row->bytes);
  memcpy(out->was, kind == k_stack ? local : place, kind == k_stack ? sizeof local : 2 * page);
  protect(kind);
  errno = 0;
  out->result = make(row, pointer);
  out->error = out->result < 0 ? errno : 0;
  if (kind == k_unmapped) map_place(), memcpy(place, out->was, 2 * page);
  if (kind == k_first)
    mmap(place + page, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
        memcpy(place + page, out->was + page, page);
  mprotect(place, 2 * page, PROT_READ | PROT_WRITE);
  memcpy(out->is, kind == k_stack ? local : place, kind == k_stack ? sizeof local : 2 * page);
  if (kind == k_stack) memcpy(out->was + room, out->is + room, 2 * page - room);
  after(row, out->result);
}

/* What the memory is filled with before a call. A byte that changes from call to call, as a clock's, may be equal to one
 * of them by chance: one in 256 times for each. */
static const unsigned char fillings[] = {0xa5, 0x3c, 0x0f, 0xd2};
enum { most_fillings = sizeof fillings };

static int is_written(const struct outcome* tries, int count, long i) {
  for (int k = 0; k < count; ++k)
    if (tries[k].was[i] != tries[k].is[i]) return 1;
  return 0;
}
/* Of all fillings, the bytes that differ in any: the first, the last, how many, and a sum of them. */
static void show(const struct row* row, enum kind kind, const struct outcome* tries, int count) {
  long first = -1, last = -1, bytes = 0;
  unsigned sum = 0;
  const long base = kind == k_stack ? 0 : address_of(kind, row->bytes) - place;
  for (long i = 0; i < (kind == k_stack ? room : 2 * page); ++i) {
    if (!is_written(tries, count, i)) continue;
    if (first < 0) first = i - base;
    last = i - base, ++bytes;
    sum = sum * 31 + tries[0].is[i];
  }
  const int is_number = tries[0].result > 0;
  printf(" %s=%s%d", kind_names[kind],
         tries[0].result < 0 ? "E"
         : is_number         ? "+"
                             : "",
         tries[0].result < 0 ? tries[0].error : is_number);
  for (int k = 1; k < count; ++k)
    if (tries[k].error != tries[0].error) printf("/%d", tries[k].error);
  if (bytes != 0) printf("[%ld..%ld:%ld", first, last, bytes);
  if (bytes != 0) (row->flags & (varies | opens)) != 0 ? printf("]") : printf(",%08x]", sum);
}

static void try_row(const struct row* row) {
  static struct outcome tries[most_fillings];
  const int count = (row->flags & varies) != 0 ? most_fillings : 1;
  printf("%s:", row->name);
  for (int kind = 0; kind < kinds; ++kind) {
    const int can_be_read = kind == k_fine || kind == k_stack || kind == k_read || kind == k_write || kind == k_fits;
    if (((row->flags & waits) != 0 && can_be_read) || ((row->flags & endless) != 0 && kind == k_null)) continue;
    for (int k = 0; k < count; ++k) try_once(row, (enum kind)kind, fillings[k], &tries[k]);
    show(row, (enum kind)kind, tries, count);
  }
  printf("\n");
}
#define TRY(NAME, FLAGS, SAMPLE, BYTES, BEFORE, NUMBER, ...)                             \
  do {                                                                                   \
    const struct row row_ = {NAME, FLAGS, SAMPLE, BYTES, NUMBER, {__VA_ARGS__}, BEFORE}; \
    try_row(&row_);                                                                      \
  } while (0)
#define WORD(POINTER) ((long)(uintptr_t)(POINTER))

#endif
