// A read-write lock that processes share: held for reading by both ranks at the first line, for writing by one at the
// second.
// ranks: 2
#include "pair.h"

#include <pthread.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  pthread_rwlock_t* const lock = map_common("lock", 4096);
  if (me == 0) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes), pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(lock, &attributes);
  }
  together();
  CHECK(pthread_rwlock_rdlock(lock) == 0);
  together();
  line();
  if (me == 0) CHECK(pthread_rwlock_trywrlock(lock) == EBUSY), CHECK(pthread_rwlock_unlock(lock) == 0);
  together();
  if (me == 0) CHECK(pthread_rwlock_trywrlock(lock) == EBUSY);                 // the other one's is left
  together();
  if (me == 1) CHECK(pthread_rwlock_unlock(lock) == 0), CHECK(pthread_rwlock_wrlock(lock) == 0);
  together();
  line();
  if (me == 0) CHECK(pthread_rwlock_tryrdlock(lock) == EBUSY);
  together();
  if (me == 1) CHECK(pthread_rwlock_unlock(lock) == 0);
  together();
  if (me == 0) CHECK(pthread_rwlock_trywrlock(lock) == 0 && pthread_rwlock_unlock(lock) == 0);
  leave_common_place();
  return finish();
}
