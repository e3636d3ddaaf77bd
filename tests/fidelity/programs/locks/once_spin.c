// pthread_once whose function runs at a line while another thread waits for it; a spin lock that is held and one waited
// for.
#include "fidelity.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static int in_once, go_on, times, through, spun;

static void only_once(void) {
  ++times;
  __atomic_store_n(&in_once, 1, __ATOMIC_SEQ_CST);
  await_count(&go_on, 1);
}
static void* calls(void* extra) {
  pthread_once(&once, only_once);
  __atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
  return extra;
}
static void* spins(void* extra) {
  pthread_spin_lock(&spin);
  __atomic_store_n(&spun, 1, __ATOMIC_SEQ_CST);
  pthread_spin_unlock(&spin);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[3], spinning;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  CHECK(pthread_spin_lock(&spin) == 0);
  for (int i = 0; i < 3; ++i) pthread_create(&all[i], NULL, calls, NULL);
  pthread_create(&spinning, NULL, spins, NULL);
  CHECK(comes_to(&in_once, 1));
  usleep(10000);
  line();
  CHECK(times == 1 && __atomic_load_n(&through, __ATOMIC_SEQ_CST) == 0 && !__atomic_load_n(&spun, __ATOMIC_SEQ_CST));
  CHECK(pthread_spin_trylock(&spin) == EBUSY);
  line();
  CHECK(times == 1 && __atomic_load_n(&through, __ATOMIC_SEQ_CST) == 0 && !__atomic_load_n(&spun, __ATOMIC_SEQ_CST));
  count_one(&go_on);
  CHECK(pthread_spin_unlock(&spin) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
  pthread_join(spinning, NULL);
  calls(NULL);
  CHECK(times == 1 && through == 4 && spun == 1, "%d %d", times, through);
  return finish();
}
