// A handler of a timer's signals, which come while the main thread is in MPI; it counts, and disturbs nothing.
// ranks: 2
#include "pair.h"

#include <signal.h>
#include <sys/time.h>

static volatile long ticks;
static void tick(int signal) { (void)signal, ++ticks; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  const struct itimerval each = {{0, 2000}, {0, 2000}}, none = {{0, 0}, {0, 0}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &each, NULL);
  for (int round = 0; round < 3; ++round) {
    const long before = ticks;
    const double begun = MPI_Wtime();
    for (int i = 0, end = 0; !end; ++i) {
      CHECK(exchange(i) == i);
      const int own = i >= 300 && (ticks >= before + 3 || MPI_Wtime() > begun + 3);
      MPI_Allreduce(&own, &end, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    CHECK(ticks > before);
    if (round < 2) line();
  }
  setitimer(ITIMER_REAL, &none, NULL);
  return finish();
}
