// A program that keeps the ids of its process and threads still uses them to send signals, and to ask for limits,
// places, capabilities and processor time.
#include "fidelity.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { threads = 3, rounds = 3 };
static pid_t process, ids[threads], ended;
static clockid_t clock_of_process, clock_of_other;
static sem_t is_there, taken;
static atomic_int takers, last_value;
static int over;
static _Thread_local int self = -1;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  atomic_store(&takers, self), atomic_store(&last_value, info->si_value.sival_int);
  sem_post(&taken);
}
static void* body(void* index) {
  self = (int)(intptr_t)index;
  ids[self] = gettid();
  sem_post(&is_there);
  await_count(&over, 1);
  return NULL;
}
static void* end_at_once(void* unused) { return ended = gettid(), unused; }

static void await_signal(int taker, int value) {
  while (sem_wait(&taken) != 0) {}
  CHECK(takers == taker && (value < 0 || last_value == value), "%d %d", takers, last_value);
}
static siginfo_t with_value(int value) {
  siginfo_t info = {.si_code = SI_QUEUE};
  info.si_pid = getpid(), info.si_uid = getuid();
  info.si_value.sival_int = value;
  return info;
}
static int64_t ns(clockid_t clock) {
  struct timespec time;
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1000000000LL + time.tv_nsec : -1;
}

static void send_signals(int round) {
  for (int i = 0; i < threads; ++i) {
    OK(syscall(SYS_tgkill, process, ids[i], SIGUSR1)), await_signal(i, -1);
    OK(syscall(SYS_tkill, ids[i], SIGUSR1)), await_signal(i, -1);
    siginfo_t info = with_value(10 * round + i);
    OK(syscall(SYS_rt_tgsigqueueinfo, process, ids[i], SIGUSR1, &info)), await_signal(i, 10 * round + i);
  }
  // The initial thread unblocks them only here. A signal that it sends to itself arrives before the call returns.
  sigset_t usr2;
  sigemptyset(&usr2), sigaddset(&usr2, SIGUSR2);
  const int before = last_value;
  OK(kill(process, SIGUSR2)), CHECK(last_value == before);
  pthread_sigmask(SIG_UNBLOCK, &usr2, NULL), await_signal(-1, -1);
  OK(syscall(SYS_tgkill, process, process, SIGUSR2));
  int waiting = 0;
  CHECK(sem_getvalue(&taken, &waiting) == 0 && waiting == 1), await_signal(-1, -1);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL);
  const union sigval value = {.sival_int = 100 + round};
  OK(sigqueue(process, SIGUSR2, value)), pthread_sigmask(SIG_UNBLOCK, &usr2, NULL), await_signal(-1, 100 + round);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL);
  CHECK(syscall(SYS_tgkill, process, ended, 0) < 0 && errno == ESRCH);
}

/* What /proc says of the process and a thread by paths that the program once made. */
static void read_paths(void) {
  char path[96], text[256] = "", here[256] = "", link[256] = "", own[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE* file = fopen("/proc/self/stat", "r");
  CHECK(file != NULL && fgets(here, sizeof here, file) != NULL && fclose(file) == 0);
  CHECK((file = fopen(path, "r")) != NULL && fgets(text, sizeof text, file) != NULL && atoi(text) == atoi(here), "%s", text);
  if (file != NULL) fclose(file);
  snprintf(path, sizeof path, "/proc/%d/task/%d/comm", process, ids[2]);
  CHECK((file = fopen(path, "r")) != NULL && fgets(text, sizeof text, file) != NULL && strcmp(text, "third\n") == 0, "%s", text);
  if (file != NULL) fclose(file);
  snprintf(path, sizeof path, "/proc/%d/exe", process);
  CHECK(readlink(path, link, sizeof link - 1) > 0 && readlink("/proc/self/exe", own, sizeof own - 1) > 0);
  CHECK(strcmp(link, own) == 0, "%s, %s", link, own);
  snprintf(path, sizeof path, "/proc/self/task/%d/", ended);
  CHECK(open(path, O_RDONLY) < 0 && errno == ENOENT);
}

static void ask(void) {
  cpu_set_t set;
  struct rlimit limit;
  struct sched_param parameters;
  char byte = 'a', copy = 0;
  const struct iovec from = {&byte, 1}, to = {&copy, 1};
  CHECK(sched_getaffinity(ids[1], sizeof set, &set) == 0 && sched_setaffinity(ids[1], sizeof set, &set) == 0);
  OK(prlimit(process, RLIMIT_NOFILE, NULL, &limit));
  CHECK(sched_getscheduler(ids[0]) == SCHED_OTHER && sched_getparam(ids[0], &parameters) == 0);
  OK(setpriority(PRIO_PROCESS, (id_t)ids[2], getpriority(PRIO_PROCESS, (id_t)ids[2])));
  CHECK(getpgid(process) == getpgrp() && getsid(process) == getsid(0));
  CHECK(process_vm_readv(process, &to, 1, &from, 1, 0) == 1 && copy == 'a');
  struct { uint32_t version; int id; } header = {0x20080522, process};      // _LINUX_CAPABILITY_VERSION_3
  struct { uint32_t effective, permitted, inheritable; } capabilities[2];
  void* list = NULL;
  size_t bytes = 0;
  OK(syscall(SYS_capget, &header, capabilities)), OK(syscall(SYS_capset, &header, capabilities));
  CHECK(header.id == process);
  header.version = 0;
  CHECK(syscall(SYS_capget, &header, capabilities) < 0 && errno == EINVAL && header.version != 0 && header.id == process);
  OK(syscall(SYS_get_robust_list, ids[1], &list, &bytes));
  const long moved = syscall(SYS_move_pages, process, 0L, NULL, NULL, NULL, 0);
  CHECK(moved == 0 || errno == ENOSYS, "%s", strerror(errno));
  CHECK(syscall(SYS_kcmp, process, process, 0, 1, 1) == 0 || errno == ENOSYS, "%s", strerror(errno));
  CHECK(getsid(0) == getpid() || setpgid(process, getpgrp()) == 0, "%s", strerror(errno));
  const int fd = (int)syscall(SYS_pidfd_open, process, 0);
  CHECK(fd >= 0 && close(fd) == 0);
  static int64_t used_by_process, used_by_other;
  const int64_t now = ns(clock_of_process), of_other = ns(clock_of_other);
  CHECK(now >= used_by_process && of_other >= used_by_other, "%lld %lld", (long long)now, (long long)of_other);
  used_by_process = now, used_by_other = of_other;
}

int main(int argc, char** argv) {
  sigset_t usr2;
  sigemptyset(&usr2), sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL);             // in the MPI library's threads too
  begin(&argc, &argv);
  pthread_t thread[threads], short_one;
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  action.sa_sigaction = on_signal;
  sigaction(SIGUSR1, &action, NULL), sigaction(SIGUSR2, &action, NULL);
  CHECK(sem_init(&is_there, 0, 0) == 0 && sem_init(&taken, 0, 0) == 0);
  process = getpid();
  for (int i = 0; i < threads; ++i) CHECK(pthread_create(thread + i, NULL, body, (void*)(intptr_t)i) == 0);
  for (int i = 0; i < threads; ++i) sem_wait(&is_there);
  CHECK(pthread_create(&short_one, NULL, end_at_once, NULL) == 0 && pthread_join(short_one, NULL) == 0);
  CHECK(pthread_setname_np(thread[2], "third") == 0);
  CHECK(clock_getcpuclockid(process, &clock_of_process) == 0);
  CHECK(pthread_getcpuclockid(thread[0], &clock_of_other) == 0);
  for (int round = 0; round < rounds; ++round) {
    send_signals(round), ask(), read_paths();
    if (round < rounds - 1) line();
  }
  count_one(&over);
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  return finish();
}
