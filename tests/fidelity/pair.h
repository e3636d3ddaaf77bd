// For programs of two ranks: what both of them have.
#pragma once
#include "place.h"

#include <sys/mman.h>

static inline void together(void) { MPI_Barrier(MPI_COMM_WORLD); }
/// The rank that is not this one.
static inline int other(void) { return 1 - me; }

/// A place that both ranks have, with leave_common_place() at the end.
static inline void make_common_place(void) {
  if (me == 0) make_place();
  MPI_Bcast(place, sizeof place, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static inline void leave_common_place(void) {
  together();
  if (me == 0) leave_place();
}

/// A new file of the common place, that rank 0 makes and both have open. out: descriptor
static inline int open_common(const char* name, int flags) {
  int fd = -1;
  if (me == 0) OK(fd = open(in(name), flags | O_CREAT | O_EXCL, 0644));
  together();
  if (me == 1) OK(fd = open(in(name), flags));
  return fd;
}

/// A new file of zeroes in the common place, that both ranks map shared and neither has open.
static inline void* map_common(const char* name, size_t size) {
  const int fd = open_common(name, O_RDWR);
  if (me == 0) OK(ftruncate(fd, (off_t)size));
  together();
  void* const map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(map != MAP_FAILED, "%s", strerror(errno));
  close(fd);
  together();
  return map;
}

/// The number that the other rank gives.
static inline int exchange(int own) {
  int others = -1;
  MPI_Sendrecv(&own, 1, MPI_INT, other(), 9, &others, 1, MPI_INT, other(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return others;
}
