// Rank 1 sleeps while rank 0 asks for the checkpoint and computes: nanosleep, and clock_nanosleep to a point in time.
// ranks: 2
#include "pair.h"

#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static void sleeps(void) {
  const double begun = seconds();
  const struct timespec some = {0, 150000000};
  struct timespec until;
  CHECK(nanosleep(&some, NULL) == 0, "%s", strerror(errno));
  CHECK(seconds() - begun > 0.149, "%f", seconds() - begun);
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 50000000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, ++until.tv_sec;
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  CHECK(seconds() - begun > 0.199, "%f", seconds() - begun);
}
static void computes(void) {
  volatile double sum = 0;
  for (int i = 1; i < 20000000; ++i) sum += 1.0 / i;
  CHECK(sum > 17 && sum < 18, "%f", sum);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    line_while(me == 1 ? sleeps : computes);
    CHECK(exchange(round + me) == round + other());
  }
  return finish();
}
