// Threads that are cancelled, threads that send each other signals, and a timer that runs a function on threads of libc's, all
// the time. No signal is lost, none comes twice, those with values come in their order, and each thread that was cancelled
// ends. It prints a checksum, for scripts/support/storm.py too.
#define _GNU_SOURCE
#include "../../mpi/programs/check.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { receivers = 8, senders = 2, window = 16, patience_s = 60 };
enum work { kills, values_to_thread, values_to_process, cancels, own_numbers, works };
static const char* const names[works] = {"pthread_kill", "pthread_sigqueue", "sigqueue", "pthread_cancel", "raise"};

static atomic_long done[works];
static atomic_int sent_all, over;             // nobody sends any more; then nobody receives
static atomic_long expired_times;

static void pause_us(long us) {
  const struct timespec time = {0, us * 1000};
  nanosleep(&time, NULL);
}

/* Signals without values: the next is sent when the last was taken. */
static pthread_t receiver[receivers];
static atomic_long sent[receivers], taken[receivers];
static atomic_int ready;
static _Thread_local int self = -1;

static void on_kill(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  CHECK(self >= 0 && info->si_code == SI_TKILL, "%d %d", self, info->si_code);
  ++taken[self];
}
static void* receive(void* index) {
  self = (int)(intptr_t)index;
  ++ready;
  while (!over) pause_us(20000);
  return NULL;
}
static void* send_kills(void* index) {
  while (!sent_all) {
    for (int i = (int)(intptr_t)index; i < receivers; i += senders)
      if (taken[i] == sent[i]) {
        ++sent[i];
        const int error = pthread_kill(receiver[i], SIGUSR1);
        CHECK(error == 0, "%s", strerror(error));
        ++done[kills];
      }
    pause_us(200);
  }
  return NULL;
}

/* Signals with values, some of which wait: to a thread, and to the process. */
static pthread_t queue_reader;
static atomic_long read_from[2];
static void* read_values(void* unused) {
  sigset_t set;
  long next[2] = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 2);
  sigaddset(&set, SIGRTMIN + 3);
  ++ready;
  while (!over) {
    siginfo_t info;
    const struct timespec limit = {0, 100000000};
    const int number = sigtimedwait(&set, &info, &limit);
    if (number < 0) continue;
    const int which = number == SIGRTMIN + 2 ? 0 : 1;
    CHECK(info.si_code == SI_QUEUE && info.si_value.sival_int == (int)next[which], "%d: code %d, value %d, not %d", which,
          info.si_code, info.si_value.sival_int, (int)next[which]);
    next[which] = info.si_value.sival_int + 1;
    ++read_from[which];
  }
  return unused;
}
static int send_value(int which, union sigval value) {
  if (which == 0) return pthread_sigqueue(queue_reader, SIGRTMIN + 2, value);
  return sigqueue(getpid(), SIGRTMIN + 3, value) == 0 ? 0 : errno;
}
static void* send_values(void* unused) {
  long next[2] = {0, 0};
  while (!sent_all) {
    for (int which = 0; which < 2; ++which)
      for (; next[which] < read_from[which] + window; ++next[which]) {
        const union sigval value = {.sival_int = (int)next[which]};
        const int error = send_value(which, value);
        CHECK(error == 0, "%s", strerror(error));
        ++done[which == 0 ? values_to_thread : values_to_process];
      }
    pause_us(500);
  }
  return unused;
}

/* Threads that are cancelled, each where it waits, or before. */
static sem_t never;
static int pipe_ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_long cleaned;

static void clean(void* is_locked) {
  if (is_locked != NULL) pthread_mutex_unlock(&mutex);
  const int fd = dup(pipe_ends[0]);           // calls that are trapped, in a handler of cancellation
  CHECK(fd >= 0 && close(fd) == 0);
  ++cleaned;
}
static void* return_at_once(void* unused) { return unused; }
/* Not pthread_detach(): until glibc 2.41 it may read a thread that ends meanwhile, after its memory is gone. */
static pthread_attr_t detached;
static void* be_cancelled(void* how) {
  char byte;
  pthread_t other;
  const int kind = (int)(intptr_t)how;
  if (kind == 4) pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, kind == 4 ? &mutex : NULL);
  switch (kind) {
    case 0: for (;;) pause_us(500000);
    case 1: for (;;) sem_wait(&never);
    case 2: for (;;) CHECK(read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR);
    case 3:
      for (;;) {
        CHECK(pthread_create(&other, &detached, return_at_once, NULL) == 0);
        pthread_testcancel();
      }
    case 4: for (;;) pthread_cond_wait(&condition, &mutex);
    default:
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
      for (;;) getppid();
  }
  pthread_cleanup_pop(0);
  return NULL;
}
static void* cancel(void* unused) {
  for (long n = 0; !sent_all; ++n) {
    pthread_t thread;
    void* result = NULL;
    CHECK(pthread_create(&thread, NULL, be_cancelled, (void*)(intptr_t)(n % 6)) == 0);
    pause_us(n % 7 * 300);
    CHECK(pthread_cancel(thread) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    ++done[cancels];
  }
  return unused;
}

/* A timer of libc's, and numbers that a runtime might want for itself. */
static void on_expiry(union sigval value) {
  CHECK(value.sival_int == 77);
  ++expired_times;
}
static _Thread_local atomic_int raised;
static void on_raised(int number) { atomic_store(&raised, number); }
static void* raise_numbers(void* unused) {
  const int numbers[] = {SIGSYS, SIGRTMAX - 2, SIGRTMAX};
  for (int n = 0; !sent_all; n = (n + 1) % 3) {
    atomic_store(&raised, 0);
    CHECK(raise(numbers[n]) == 0);
    CHECK(atomic_load(&raised) == numbers[n]);
    ++done[own_numbers];
    pause_us(1000);
  }
  return unused;
}

static long now_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long)time.tv_sec;
}
/* Each kind of work goes on, and what was sent comes. */
static void await_progress(void) {
  long before[works];
  const long expired_before = expired_times, begun = now_s();
  for (int i = 0; i < works; ++i) before[i] = done[i];
  for (int i = 0; i < works; ++i)
    while (done[i] == before[i]) {
      if (now_s() - begun > patience_s) fprintf(stderr, "%s stands still\n", names[i]), abort();
      pause_us(500);
    }
  while (expired_times == expired_before) {
    if (now_s() - begun > patience_s) fprintf(stderr, "the timer stands still\n"), abort();
    pause_us(500);
  }
}

static void handle(int number, void (*with_info)(int, siginfo_t*, void*), void (*plain)(int)) {
  struct sigaction action = {.sa_flags = SA_RESTART | (with_info != NULL ? SA_SIGINFO : 0)};
  if (with_info != NULL) action.sa_sigaction = with_info;
  else action.sa_handler = plain;
  CHECK(sigaction(number, &action, NULL) == 0);
}

int main(int argc, char** argv) {
  enum { others = senders + 4 };
  pthread_t other[others];
  timer_t timer;
  sigset_t queued;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD};
  const struct itimerspec often = {{0, 1000000}, {0, 1000000}};
  sigemptyset(&queued);
  sigaddset(&queued, SIGRTMIN + 2), sigaddset(&queued, SIGRTMIN + 3);
  pthread_sigmask(SIG_BLOCK, &queued, NULL);             // in the MPI library's threads too
  begin(&argc, &argv);
  handle(SIGUSR1, on_kill, NULL);
  handle(SIGSYS, NULL, on_raised), handle(SIGRTMAX - 2, NULL, on_raised), handle(SIGRTMAX, NULL, on_raised);
  CHECK(sem_init(&never, 0, 0) == 0 && pipe(pipe_ends) == 0);
  CHECK(pthread_attr_init(&detached) == 0 && pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0);
  for (int i = 0; i < receivers; ++i) CHECK(pthread_create(receiver + i, NULL, receive, (void*)(intptr_t)i) == 0);
  CHECK(pthread_create(&queue_reader, NULL, read_values, NULL) == 0);
  while (ready < receivers + 1) pause_us(1000);
  for (int i = 0; i < senders; ++i) CHECK(pthread_create(other + i, NULL, send_kills, (void*)(intptr_t)i) == 0);
  CHECK(pthread_create(other + senders, NULL, send_values, NULL) == 0);
  CHECK(pthread_create(other + senders + 1, NULL, cancel, NULL) == 0);
  CHECK(pthread_create(other + senders + 2, NULL, raise_numbers, NULL) == 0);
  event.sigev_notify_function = on_expiry, event.sigev_value.sival_int = 77;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0);
  for (int k = 0; k < steps; ++k) {
    await_progress();
    int all = 0;
    const int mine = (me + 1) * (k + 1);
    OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    got_int(all);
    step(k);
  }
  CHECK(timer_delete(timer) == 0);
  sent_all = 1;
  for (int i = 0; i < others - 1; ++i) pthread_join(other[i], NULL);
  over = 1;
  pthread_join(queue_reader, NULL);
  for (int i = 0; i < receivers; ++i) pthread_join(receiver[i], NULL);
  return finish();
}
