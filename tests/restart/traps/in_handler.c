// A checkpoint comes while the program is inside its own signal handler, on an alternate stack that is too small for what the
// live MPI does at a restart. The program spends two thirds of its time there.
#include "../../mpi/programs/check.h"

#include <signal.h>
#include <sys/time.h>

static volatile uint64_t spun;
static volatile int handled;
static const struct itimerval soon = {{0, 0}, {0, 5000}}, never = {{0, 0}, {0, 0}};

static void on_alarm(int number) {
  (void)number;
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += 10000000;
  do {
    for (int i = 0; i < 1000; ++i) spun = spun * 31 + 7;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - end.tv_sec) * 1000000000 + now.tv_nsec < end.tv_nsec);
  ++handled;
  setitimer(ITIMER_REAL, &soon, NULL);      // from now on: a busy machine would have the next signal wait here already
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static char stack[1 << 16];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | SA_ONSTACK};
  sigaltstack(&other, NULL);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  for (int k = 0; k < steps; ++k) {
    int x = k, y = 0;
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(y == k * ranks);
    step(k);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &never, NULL);
  return finish();
}
