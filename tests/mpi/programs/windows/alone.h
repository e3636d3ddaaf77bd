// A window over one rank: every epoch there is, with this rank as the target. It lives as long as the program. Debian's
// Open MPI 4.1.4 has no component for it, and says so: then there is none.
#pragma once
#include "memory.h"

enum { alone_room = 64 };
static struct {
  MPI_Win win;
  int memory[alone_room] FOR_A_WINDOW, in[alone_room], out[alone_room];
} alone;

static inline void begin_alone(void) {
  alone.win = MPI_WIN_NULL;
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  const int code = MPI_Win_create(alone.memory, sizeof alone.memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &alone.win);
  CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_WIN, "class %d", class_of(code));
  if (code != MPI_SUCCESS) alone.win = MPI_WIN_NULL;
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

/// One epoch of step k's kind. What was put is what is got, and what lies in memory.
static inline void use_alone(int k) {
  MPI_Group self;
  const int n = 1 + k % alone_room;
  if (alone.win == MPI_WIN_NULL) return;
  fill(alone.out, n, me, me, k);
  OK(MPI_Win_get_group(alone.win, &self));
  switch (k % 4) {
    case 0: OK(MPI_Win_fence(0, alone.win)); break;
    case 1: OK(MPI_Win_post(self, 0, alone.win)); OK(MPI_Win_start(self, 0, alone.win)); break;
    case 2: OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, alone.win)); break;
    case 3: OK(MPI_Win_lock_all(0, alone.win)); break;
  }
  OK(MPI_Put(alone.out, n, MPI_INT, 0, 0, n, MPI_INT, alone.win));
  switch (k % 4) {
    case 0: OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, alone.win)); break;
    case 1: OK(MPI_Win_complete(alone.win)); OK(MPI_Win_wait(alone.win)); break;
    case 2: OK(MPI_Win_unlock(0, alone.win)); break;
    case 3: OK(MPI_Win_unlock_all(alone.win)); break;
  }
  OK(MPI_Group_free(&self));
  OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, alone.win));
  OK(MPI_Get(alone.in, n, MPI_INT, 0, 0, n, MPI_INT, alone.win));
  OK(MPI_Win_unlock(0, alone.win));
  CHECK(same(alone.in, n, me, me, k), "step %d", k);
  CHECK(same(alone.memory, n, me, me, k), "step %d", k);
}

static inline void end_alone(void) {
  if (alone.win != MPI_WIN_NULL) OK(MPI_Win_free(&alone.win));
}
