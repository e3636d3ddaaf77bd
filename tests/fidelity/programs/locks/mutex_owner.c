// Mutexes that know their owner, held at the lines. The owner may take the recursive one again, and gets an error from
// the other.
#include "fidelity.h"

#include <pthread.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_mutexattr_t attributes;
  pthread_mutex_t recursive, checking;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &attributes);
  pthread_mutex_lock(&recursive), pthread_mutex_lock(&checking);
  for (int round = 0; round < 2; ++round) {
    line();
    const int again = pthread_mutex_trylock(&recursive);
    CHECK(again == 0, "%s", strerror(again));
    if (again == 0) pthread_mutex_unlock(&recursive);
    const int released = pthread_mutex_unlock(&checking);
    CHECK(released == 0, "%s", strerror(released));
    if (released == 0) pthread_mutex_lock(&checking);
  }
  CHECK(pthread_mutex_unlock(&recursive) == 0);
  return finish();
}
