// Timers of libc's whose function runs in a thread (SIGEV_THREAD), and one that signals a thread by its id
// (SIGEV_THREAD_ID). The program makes them before the lines and after them, on clocks of the system and of a thread's
// processor time.
#include "fidelity.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static sem_t expired;
static pid_t thread;
static clockid_t clock_of_thread;

static void on_expiry(union sigval value) {
  CHECK(value.sival_int == 5);
  sem_post(&expired);
}
static void on_signal(int number) {
  (void)number;
  if (gettid() == getpid()) sem_post(&expired);
}
static void expire_once(clockid_t clock, struct sigevent* event) {
  timer_t timer;
  const struct itimerspec soon = {{0, 0}, {0, 1000000}};
  CHECK(timer_create(clock, event, &timer) == 0, "%s", strerror(errno));
  CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
  if (clock == clock_of_thread) while (sem_trywait(&expired) != 0) {}      // uses the processor's time
  else while (sem_wait(&expired) != 0) {}
  CHECK(timer_delete(timer) == 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(sem_init(&expired, 0, 0) == 0);
  signal(SIGUSR1, on_signal);
  thread = gettid();
  CHECK(pthread_getcpuclockid(pthread_self(), &clock_of_thread) == 0);
  struct sigevent in_thread = {.sigev_notify = SIGEV_THREAD}, to_thread = {.sigev_notify = SIGEV_THREAD_ID};
  in_thread.sigev_notify_function = on_expiry, in_thread.sigev_value.sival_int = 5;
  to_thread.sigev_signo = SIGUSR1, to_thread.sigev_notify_thread_id = thread;
  for (int round = 0; round < 3; ++round) {
    expire_once(CLOCK_MONOTONIC, &in_thread);
    expire_once(CLOCK_REALTIME, &to_thread);
    expire_once(clock_of_thread, &to_thread);
    if (round < 2) line();
  }
  return finish();
}
