// Memory for windows, and the ranks beside this one. MPICH 4.0.2 itself computes wrong places where a window's base is not
// a multiple of 16 (rma_unaligned.c); that of one it allocates lies behind the part of the rank before. Open MPI allocates
// at multiples of 8, so types of such memory ask for no more.
#pragma once
#include "../check.h"

#define FOR_A_WINDOW __attribute__((aligned(64)))

static int right, left;

static inline void find_neighbours(void) {
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
}

/// The displacement of `member` in a window over a `struct type`, whose unit is a byte.
#define AT(type, member) ((MPI_Aint)offsetof(struct type, member))

static inline MPI_Win create_window(void* base, size_t bytes, int unit) {
  MPI_Win w = MPI_WIN_NULL;
  OK(MPI_Win_create(base, (MPI_Aint)bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
  return w;
}

/// At least `bytes` bytes of memory, all zero.
static inline void* allocate_window(size_t bytes, int unit, MPI_Win* w) {
  bytes = (bytes + 63) / 64 * 64;
  void* base = NULL;
  OK(MPI_Win_allocate((MPI_Aint)bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, w));
  memset(base, 0, bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  return base;
}
