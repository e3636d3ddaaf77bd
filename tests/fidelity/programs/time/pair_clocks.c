// Ranks of one node read one clock. A time that one sends is over when the other has it, by every clock, before and
// after lines.
// ranks: 2
#include "fidelity.h"

#include <sys/times.h>
#include <time.h>

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME};
enum { count = sizeof clocks / sizeof *clocks, all = count + 1 };

static void read_all(int64_t* times_now) {
  for (int which = 0; which < count; ++which) {
    struct timespec time;
    OK(clock_gettime(clocks[which], &time));
    times_now[which] = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  }
  times_now[count] = times(NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  void* memory = NULL;
  if (me == 1) memory = memset(malloc(50000000), 1, 50000000);       // this rank is parked longer
  for (int round = 0; round < 3; ++round) {
    for (int times_sent = 0; times_sent < 20; ++times_sent) {
      int64_t sent[all], received[all], now[all];
      MPI_Barrier(MPI_COMM_WORLD);
      read_all(sent);
      MPI_Sendrecv(sent, all, MPI_INT64_T, 1 - me, 0, received, all, MPI_INT64_T, 1 - me, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      read_all(now);
      for (int which = 0; which < all; ++which)
        CHECK(received[which] <= now[which] && now[which] - received[which] < 60000000000, "clock %d: %ld", which,
              (long)(now[which] - received[which]));
    }
    if (round < 2) line();
  }
  free(memory);
  return finish();
}
