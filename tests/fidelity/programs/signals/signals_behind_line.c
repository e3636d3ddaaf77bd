// INV-69: Signals that a hook sends behind the line to threads that are parked: by pthread_kill, by pthread_sigqueue with values, and
// by pthread_cancel. Each comes once, in its order, with its sender and value.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>

enum { handles, waits, is_cancelled, threads };
enum { values = 5 };

static pthread_t thread[threads];
static int started, killed, kill_code, handled, queued, over, wrong_order;
static volatile sig_atomic_t last_value;

static void on_kill(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  kill_code = info->si_pid == getpid() ? info->si_code : 1000;
  __atomic_add_fetch(&killed, 1, __ATOMIC_SEQ_CST);
}
static void on_value(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  if (info->si_value.sival_int != last_value + 1 || info->si_code != SI_QUEUE) ++wrong_order;
  last_value = info->si_value.sival_int;
  __atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
}

static void* handle(void* unused) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) usleep(1000);
  return unused;
}

static void* wait_for(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 2);
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (int next = 1; next <= values; ++next) {
    siginfo_t info;
    int got;
    while ((got = sigwaitinfo(&set, &info)) < 0) CHECK(errno == EINTR);
    if (info.si_value.sival_int != next) ++wrong_order;
    __atomic_add_fetch(&queued, 1, __ATOMIC_SEQ_CST);
  }
  return unused;
}

static void* sleep_on(void* unused) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (;;) sleep(1000);
  return unused;
}

static void send(enum mana_event event, const struct mana_hook_info* info, void* extra) {
  (void)event, (void)info, (void)extra;
  CHECK(pthread_kill(thread[handles], SIGUSR1) == 0);
  for (int value = 1; value <= values; ++value) {
    CHECK(pthread_sigqueue(thread[handles], SIGRTMIN + 1, (union sigval){.sival_int = value}) == 0);
    CHECK(pthread_sigqueue(thread[waits], SIGRTMIN + 2, (union sigval){.sival_int = value}) == 0);
  }
  CHECK(pthread_cancel(thread[is_cancelled]) == 0);
}

static void begin_threads(void) {
  void* (*const body[threads])(void*) = {handle, wait_for, sleep_on};
  started = killed = handled = queued = over = 0, last_value = 0;
  for (int i = 0; i < threads; ++i) CHECK(pthread_create(thread + i, NULL, body[i], NULL) == 0);
  CHECK(comes_to(&started, threads));
  usleep(50000);                     // all of them sleep, or wait
}

int main(int argc, char** argv) {
  struct sigaction kill = {.sa_flags = SA_SIGINFO}, value = {.sa_flags = SA_SIGINFO};
  sigset_t blocked;
  kill.sa_sigaction = on_kill, value.sa_sigaction = on_value;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN + 2);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  begin(&argc, &argv);
  sigaction(SIGUSR1, &kill, NULL);
  sigaction(SIGRTMIN + 1, &value, NULL);
  mana_hook_add(MANA_BEFORE_WRITE, send, NULL);
  for (int round = 0; round < 2; ++round) {
    void* result;
    begin_threads();
    if (what_at(lines_met) != 'g' && what_at(lines_met) != 's') send(MANA_BEFORE_WRITE, NULL, NULL);
    line();
    CHECK(comes_to(&killed, 1), "%d", killed);
    CHECK(kill_code == SI_TKILL, "%d", kill_code);
    CHECK(comes_to(&handled, values), "%d", handled);
    CHECK(comes_to(&queued, values), "%d", queued);
    CHECK(wrong_order == 0, "%d", wrong_order);
    __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < threads; ++i) {
      struct timespec limit;
      clock_gettime(CLOCK_REALTIME, &limit);
      limit.tv_sec += 60;
      CHECK(pthread_timedjoin_np(thread[i], &result, &limit) == 0, "thread %d", i);
    }
    CHECK(result == PTHREAD_CANCELED);
  }
  return finish();
}
