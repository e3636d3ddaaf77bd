// A thread waits for a recursive mutex at the lines, with a number in a register that is its id as well: the number stays.
#include "fidelity.h"

#include <pthread.h>
#include <sched.h>

static pthread_mutex_t held = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned long inverted;

static void* wait_for_it(void* extra) {
  unsigned long number = (unsigned long)syscall(SYS_gettid);
  inverted = ~number;
  __asm__ volatile("" : "+r"(number));            // what it is, the compiler does not know any more
  CHECK(pthread_mutex_lock(&held) == 0);
  __asm__ volatile("" : "+r"(number));
  CHECK(number == ~inverted, "%lu, not %lu", number, ~inverted);
  CHECK(pthread_mutex_lock(&held) == 0 && pthread_mutex_unlock(&held) == 0 && pthread_mutex_unlock(&held) == 0);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t waiter;
  CHECK(pthread_mutex_lock(&held) == 0);
  CHECK(pthread_create(&waiter, NULL, wait_for_it, NULL) == 0);
  const int waited_for = 2;                       // of libc's
  while (__atomic_load_n(&held.__data.__lock, __ATOMIC_SEQ_CST) != waited_for) sched_yield();
  line();
  line();
  CHECK(pthread_mutex_unlock(&held) == 0);
  CHECK(pthread_join(waiter, NULL) == 0);
  return finish();
}
