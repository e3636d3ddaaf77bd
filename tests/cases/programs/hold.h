// What cases have in common.
#pragma once
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Waits at the place of the checkpoint until the file $HOLD exists; $HOLD.RANK, which has the process's id, says that the
/// rank is there.
static void hold(int rank) {
  const char* const name = getenv("HOLD");
  char mine[4096], pid[32];
  if (name == NULL) return;
  snprintf(mine, sizeof mine, "%s.%d.new", name, rank);
  const int file = open(mine, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  const int length = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
  if (file < 0 || write(file, pid, (size_t)length) != length) abort();
  close(file);
  char ready[4096];
  snprintf(ready, sizeof ready, "%s.%d", name, rank);
  rename(mine, ready);
  while (access(name, F_OK) != 0) usleep(10000);
}
