// Robust mutexes in a file that both ranks map: owners of one rank that end before and after a line leave them to the
// other.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static pthread_mutex_t* all;
static int owned, end;

static void* own(void* which) {
  CHECK(pthread_mutex_lock(&all[(long)which]) == 0);
  count_one(&owned);
  await_count(&end, (int)(long)which + 1);
  return NULL;
}
static void inherit(int which) {
  const int found = pthread_mutex_trylock(&all[which]);
  CHECK(found == EOWNERDEAD, "mutex %d: %s", which, strerror(found));
  CHECK(pthread_mutex_consistent(&all[which]) == 0 && pthread_mutex_unlock(&all[which]) == 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  all = map_common("mutexes", 4096);
  pthread_t owner[2];
  for (long i = 0; me == 0 && i < 2; ++i) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes), pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&all[i], &attributes);
    pthread_create(&owner[i], NULL, own, (void*)i);
  }
  if (me == 0) await_count(&owned, 2), count_one(&end), pthread_join(owner[0], NULL);
  together();
  line();
  if (me == 1) inherit(0), CHECK(pthread_mutex_trylock(&all[1]) == EBUSY);
  together();
  line();
  if (me == 1) CHECK(pthread_mutex_trylock(&all[1]) == EBUSY);
  together();
  if (me == 0) count_one(&end), pthread_join(owner[1], NULL);
  together();
  if (me == 1) inherit(1);
  together();
  for (int i = 0; me == 0 && i < 2; ++i) CHECK(pthread_mutex_trylock(&all[i]) == 0 &&
                                               pthread_mutex_unlock(&all[i]) == 0);
  leave_common_place();
  return finish();
}
