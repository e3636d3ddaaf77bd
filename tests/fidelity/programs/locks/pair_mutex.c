// Mutexes that processes share, in a file that both ranks map: rank 0 holds them at the first line, rank 1 at the
// second.
// ranks: 2
#include "pair.h"

#include <pthread.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  pthread_mutex_t* const all = map_common("mutexes", 4096);
  if (me == 0) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes), pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&all[0], &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE), pthread_mutex_init(&all[1], &attributes);
  }
  together();
  for (int holder = 0; holder < 2; ++holder) {
    for (int i = 0; me == holder && i < 2; ++i) CHECK(pthread_mutex_trylock(&all[i]) == 0);
    together();
    line();
    for (int i = 0; me != holder && i < 2; ++i) CHECK(pthread_mutex_trylock(&all[i]) == EBUSY);
    together();
    if (me == holder) {
      CHECK(pthread_mutex_trylock(&all[1]) == 0 && pthread_mutex_unlock(&all[1]) == 0);
      for (int i = 0; i < 2; ++i) CHECK(pthread_mutex_unlock(&all[i]) == 0);
    }
    together();
    for (int i = 0; me != holder && i < 2; ++i) CHECK(pthread_mutex_trylock(&all[i]) == 0 &&
                                                      pthread_mutex_unlock(&all[i]) == 0);
    together();
  }
  leave_common_place();
  return finish();
}
