// An event counter, as a semaphore and not, with events that nobody has read.
#include "fidelity.h"

#include <sys/eventfd.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int plain = eventfd(0, EFD_NONBLOCK), semaphore = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
  uint64_t sum = 7;
  OK(write(plain, &sum, sizeof sum));
  line();
  OK(read(plain, &sum, sizeof sum));
  CHECK(sum == 7, "%lu", sum);
  CHECK(read(plain, &sum, sizeof sum) == -1 && errno == EAGAIN);
  OK(read(semaphore, &sum, sizeof sum));
  CHECK(sum == 1, "%lu", sum);
  line();
  for (int left = 2; left > 0; --left) OK(read(semaphore, &sum, sizeof sum));
  CHECK(read(semaphore, &sum, sizeof sum) == -1 && errno == EAGAIN);
  return finish();
}
