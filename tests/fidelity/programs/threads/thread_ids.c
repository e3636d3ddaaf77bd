// Thread and process ids: the kernel's answers, the library's copies, and the ids that signals use.
#include "fidelity.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static pid_t id_of_thread;
static int by_library, by_kernel;
static __thread int is_other;
static pthread_barrier_t meeting;

static void handler(int number) {
  if (is_other) count_one(number == SIGUSR1 ? &by_library : &by_kernel);
}
static void* body(void* extra) {
  (void)extra;
  is_other = 1;
  for (int i = 0; i < 3; ++i) {
    pthread_barrier_wait(&meeting);
    CHECK(gettid() == syscall(SYS_gettid));
    id_of_thread = gettid();
    pthread_barrier_wait(&meeting), pthread_barrier_wait(&meeting);
  }
  return NULL;
}
static int listed(pid_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d", thread);
  return access(path, F_OK) == 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const pid_t first_process = getpid();
  pid_t first_thread = 0;
  pthread_t thread;
  signal(SIGUSR1, handler), signal(SIGUSR2, handler);
  pthread_barrier_init(&meeting, NULL, 2);
  pthread_create(&thread, NULL, body, NULL);
  for (int i = 1; i <= 3; ++i) {
    pthread_barrier_wait(&meeting), pthread_barrier_wait(&meeting);
    if (first_thread == 0) first_thread = id_of_thread;
    CHECK(id_of_thread == first_thread);
    CHECK(getpid() == first_process && gettid() == getpid() && syscall(SYS_getpid) == getpid());
    CHECK(listed(id_of_thread) && listed(gettid()));
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    OK(syscall(SYS_tgkill, getpid(), id_of_thread, SIGUSR2));
    await_count(&by_library, i), await_count(&by_kernel, i);
    CHECK(by_library == i && by_kernel == i, "%d %d", by_library, by_kernel);
    OK(kill(getpid(), 0)), OK(raise(SIGUSR1));
    clockid_t of_thread;
    struct timespec time;
    CHECK(pthread_getcpuclockid(thread, &of_thread) == 0);
    CHECK(clock_gettime(of_thread, &time) == 0 && time.tv_sec < 100, "%s", strerror(errno));
    CHECK(clock_getcpuclockid(getpid(), &of_thread) == 0 && clock_gettime(of_thread, &time) == 0);
    pthread_barrier_wait(&meeting);
    if (i < 3) line();
  }
  CHECK(pthread_join(thread, NULL) == 0);
  return finish();
}
