// Wrong calls on windows: each returns an error of its class by the window's error handler, and changes nothing: what follows
// works. An epoch that is open when a call fails stays open, across steps too.
#include "memory.h"

#include <sys/mman.h>

static int memory[16] FOR_A_WINDOW;
static MPI_Win win, dynamic_win;
static int handled;

static void count(MPI_Win* w, int* code, ...) {
  (void)w, (void)code;
  ++handled;
}

#define FAILS(call, expected) \
  do { \
    const int before = handled, fails_class = class_of(call); \
    CHECK(fails_class == (expected), "%s: class %d, not %d", #call, fails_class, (expected)); \
    CHECK(handled == before + 1, "%s: %d times", #call, handled - before); \
  } while (0)

/// Without an epoch, what belongs to one is refused.
static void outside(void) {
  int x = 0, y = 0, flag;
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  FAILS(MPI_Put(&x, 1, MPI_INT, right, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Get(&x, 1, MPI_INT, right, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Accumulate(&x, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Fetch_and_op(&x, &y, MPI_INT, right, 0, MPI_SUM, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_unlock(right, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_flush(right, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
}

/// In one of locks: others are refused, and wrong arguments too.
static void inside(int k) {
  int x = k, y = -1;
  OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_start(MPI_GROUP_EMPTY, 0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Put(&x, -1, MPI_INT, right, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
  FAILS(MPI_Put(&x, 1, MPI_DATATYPE_NULL, right, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
  FAILS(MPI_Put(&x, 1, MPI_INT, ranks, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  FAILS(MPI_Accumulate(&x, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
  FAILS(MPI_Win_flush(ranks, win), MPI_ERR_RANK);
  OK(MPI_Put(&x, 1, MPI_INT, right, me % 16, 1, MPI_INT, win));
  OK(MPI_Win_flush(right, win));
  OK(MPI_Get(&y, 1, MPI_INT, right, me % 16, 1, MPI_INT, win));
  OK(MPI_Win_flush(right, win));
  CHECK(y == k, "%d, step %d", y, k);
  got_int(y);
}

/// A page of the kernel's, mapped as memory of devices is: neither an image nor another process can have it. NULL: there is none.
static void* find_page_of_kernel(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long begin = 0;
  while (maps != NULL && begin == 0 && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "[vvar]") != NULL) begin = strtoul(line, NULL, 16);
  if (maps != NULL) fclose(maps);
  return (void*)begin;
}
static void foreign_memory(void) {
  MPI_Win none;
  void* const page = find_page_of_kernel();
  void* const unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(class_of(MPI_Win_create(unmapped, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &none)) == MPI_ERR_BASE);
  FAILS(MPI_Win_attach(dynamic_win, unmapped, 64), MPI_ERR_BASE);
  if (page != NULL) FAILS(MPI_Win_attach(dynamic_win, page, 64), MPI_ERR_BASE);
  munmap(unmapped, 4096);
}

static void arguments(void) {
  FAILS(MPI_Win_lock(12345, right, 0, win), MPI_ERR_LOCKTYPE);
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, ranks, 0, win), MPI_ERR_RANK);
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, right, MPI_MODE_NOSUCCEED, win), MPI_ERR_ASSERT);
  FAILS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
  MPI_Win none;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK(class_of(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &none)) == MPI_ERR_SIZE);
  CHECK(class_of(MPI_Win_create(memory, sizeof memory, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &none)) == MPI_ERR_DISP);
  foreign_memory();
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  int* base;
  int unit;
  MPI_Aint size;
  FAILS(MPI_Win_shared_query(dynamic_win, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
  FAILS(MPI_Win_shared_query(win, ranks, &size, &unit, &base), MPI_ERR_RANK);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  MPI_Errhandler handler;
  OK(MPI_Win_create_errhandler(count, &handler));
  win = create_window(memory, sizeof memory, sizeof(int));
  OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic_win));
  OK(MPI_Win_set_errhandler(win, handler));
  OK(MPI_Win_set_errhandler(dynamic_win, handler));
  for (int k = 0; k < steps; ++k) {
    outside();
    arguments();
    inside(k);
    step(k);
    FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock(right, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_Win_free(&dynamic_win));
  OK(MPI_Win_free(&win));
  OK(MPI_Errhandler_free(&handler));
  return finish();
}
