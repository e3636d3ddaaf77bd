// Read-write locks that the main thread owns at the lines, for writing and for reading, with nobody who waits.
#include "fidelity.h"

#include <pthread.h>
#include <time.h>

static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read_lock = PTHREAD_RWLOCK_INITIALIZER;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(pthread_rwlock_wrlock(&written) == 0 && pthread_rwlock_rdlock(&read_lock) == 0);
  for (int round = 0; round < 2; ++round) {
    line();
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end), ++end.tv_sec;
    CHECK(pthread_rwlock_timedwrlock(&written, &end) == EDEADLK);
    CHECK(pthread_rwlock_trywrlock(&read_lock) == EBUSY);
  }
  CHECK(pthread_rwlock_unlock(&written) == 0 && pthread_rwlock_unlock(&read_lock) == 0);
  CHECK(pthread_rwlock_trywrlock(&written) == 0 && pthread_rwlock_trywrlock(&read_lock) == 0);
  return finish();
}
