// Threads in sigwait, in sigsuspend and in a bare futex at the lines, and a spinlock that is held.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>

static uint32_t word;
static int handled, entered, left;
static pthread_spinlock_t spin;

static void handler(int number) { handled += number == SIGUSR2; }
static void* body(void* which) {
  sigset_t set;
  int number = 0;
  sigfillset(&set);
  count_one(&entered);
  switch ((long)which) {
    case 0:
      sigemptyset(&set), sigaddset(&set, SIGUSR1);
      CHECK(sigwait(&set, &number) == 0 && number == SIGUSR1, "%d", number);
      break;
    case 1:
      sigdelset(&set, SIGUSR2);
      CHECK(sigsuspend(&set) == -1 && errno == EINTR && handled == 1, "%d", handled);
      break;
    case 2:
      while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
      break;
    case 3: pthread_spin_lock(&spin), pthread_spin_unlock(&spin);
  }
  __atomic_fetch_add(&left, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[4];
  sigset_t set;
  signal(SIGUSR2, handler);
  sigemptyset(&set), sigaddset(&set, SIGUSR1), sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_spin_init(&spin, 0), pthread_spin_lock(&spin);
  for (long i = 0; i < 4; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  await_count(&entered, 4);
  usleep(30000);
  line();
  CHECK(__atomic_load_n(&left, __ATOMIC_SEQ_CST) == 0, "%d", left);
  line();
  usleep(20000);
  CHECK(__atomic_load_n(&left, __ATOMIC_SEQ_CST) == 0, "%d", left);
  pthread_kill(all[0], SIGUSR1), pthread_kill(all[1], SIGUSR2);
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  pthread_spin_unlock(&spin);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
  return finish();
}
