// The main thread of rank 1 is in sigsuspend, sigtimedwait and pause, which an alarm ends, while rank 0 asks for the
// checkpoint.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }
static void in_some_time(void) {
  const struct itimerval some = {{0, 0}, {0, 120000}};
  OK(setitimer(ITIMER_REAL, &some, NULL));
}
static int ended;
static pthread_t main_thread;
/// An alarm that does not come is missed, but does not hold up the rest.
static void* rescues(void* extra) {
  if (!comes_to(&ended, lines_met)) CHECK(!"an alarm comes"), pthread_kill(main_thread, SIGALRM);
  return extra;
}
static void suspends(void) {
  pthread_t rescue;
  sigset_t none, alarms;
  const struct timespec long_time = {5, 0};
  sigemptyset(&none), sigemptyset(&alarms), sigaddset(&alarms, SIGALRM);
  const int before = calls;
  main_thread = pthread_self();
  pthread_create(&rescue, NULL, rescues, NULL);
  in_some_time();
  CHECK(sigsuspend(&none) == -1 && errno == EINTR && calls == before + 1, "%d", calls - before);
  in_some_time();
  CHECK(sigtimedwait(&alarms, NULL, &long_time) == SIGALRM && calls == before + 1, "%s", strerror(errno));
  __atomic_store_n(&ended, lines_met, __ATOMIC_SEQ_CST);
  pthread_join(rescue, NULL);
}

int main(int argc, char** argv) {
  const struct sigaction action = {.sa_handler = handler};
  sigset_t mask;
  sigaction(SIGALRM, &action, NULL);
  sigemptyset(&mask), sigaddset(&mask, SIGALRM);
  sigprocmask(SIG_BLOCK, &mask, NULL);                  // before MPI has threads, which would get them
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    line_while(me == 1 ? suspends : NULL);
    CHECK(calls == (me == 1 ? round + 1 : 0));
    together();
  }
  return finish();
}
