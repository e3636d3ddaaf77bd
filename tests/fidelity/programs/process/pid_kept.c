// INV-90: A program that asks once for its process id, and later uses the answer for itself and its threads. It takes
// another id for a sign that it is a child, as event loops of Python, shells and message queues do. Its children ask
// for their parent's id.
#include "fidelity.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { asks_parent = 1, is_other = 2, is_its_own_thread = 4 };
static volatile int calls, from_others, rounds_over;
static void handler(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context, ++calls;
  if (info->si_pid != getpid()) ++from_others;
}
static void* body(void* extra) {
  const pid_t self = gettid();
  while (rounds_over < 2) CHECK(gettid() == self), usleep(2000);
  return extra;
}
static void* rest(void* extra) { return pause(), extra; }

static void ask_children(pid_t self) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) _exit((getppid() == self) * asks_parent + (getpid() != self) * is_other + (getpid() == gettid()) * is_its_own_thread);
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == (asks_parent | is_other | is_its_own_thread), "%d", status);
  child = vfork();
  if (child == 0) _exit((getppid() == self) * asks_parent + (getpid() != self) * is_other);
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == (asks_parent | is_other), "%d", status);
}
/* Of a group that the program leads; a lock as a child sees it; who is at a socket's other end; who sent a signal that is waited for. */
static void ask_others(pid_t self, int file) {
  int status = -1, pair[2];
  struct flock lock = {.l_type = F_WRLCK};
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  sigset_t usr2;
  siginfo_t info = {0};
  CHECK(getpgrp() == self || setpgid(0, 0) == 0);
  pid_t child = fork();
  if (child == 0) _exit(5);
  CHECK(waitpid(-getpgrp(), &status, 0) == child && WEXITSTATUS(status) == 5, "%s", strerror(errno));
  child = fork();
  if (child == 0) _exit(6);
  OK(waitid(P_PGID, (id_t)getpgrp(), &info, WEXITED)), CHECK(info.si_pid == child && info.si_status == 6);
  OK(fcntl(file, F_SETLK, &lock));
  child = fork();
  if (child == 0) _exit(fcntl(file, F_GETLK, &lock) == 0 && lock.l_pid == getppid() ? 7 : 0);
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)), OK(getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &size));
  CHECK(peer.pid == self && close(pair[0]) == 0 && close(pair[1]) == 0, "%d", peer.pid);
  sigemptyset(&usr2), sigaddset(&usr2, SIGUSR2);
  OK(kill(self, SIGUSR2)), CHECK(sigwaitinfo(&usr2, &info) == SIGUSR2 && info.si_pid == self, "%d", info.si_pid);
}
static void ask_paths(pid_t self) {
  char path[64], text[64] = "";
  struct stat found;
  snprintf(path, sizeof path, "/proc/%d/comm", self);
  CHECK(access(path, R_OK) == 0 && stat(path, &found) == 0);
  CHECK(readlink("/proc/self", text, sizeof text - 1) > 0 && atoi(text) == self, "%s", text);
  snprintf(path, sizeof path, "%d/task/%d", self, self);
  CHECK(readlink("/proc/thread-self", text, sizeof text - 1) > 0 && strcmp(text, path) == 0, "%s", text);
}
static void ask_owner(int fd) {
  struct f_owner_ex owner = {F_OWNER_TID, gettid()};
  CHECK(fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_GETOWN) == getpid());
  CHECK(fcntl(fd, F_SETOWN_EX, &owner) == 0 && (owner.pid = 0, fcntl(fd, F_GETOWN_EX, &owner)) == 0);
  CHECK(owner.type == F_OWNER_TID && owner.pid == gettid(), "%d", owner.pid);
}
/* libc tells its own signals by their sender. */
static void use_signals_of_libc(void) {
  pthread_t thread;
  void* result = NULL;
  CHECK(pthread_create(&thread, NULL, rest, NULL) == 0 && pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  CHECK(setgid(getgid()) == 0);
}

int main(int argc, char** argv) {
  sigset_t usr2;
  sigemptyset(&usr2), sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, NULL);             // in the MPI library's threads too
  begin(&argc, &argv);
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = handler;
  sigaction(SIGUSR1, &action, NULL);
  const pid_t self = getpid();
  const int leads = getpgrp() == self, begins_session = getsid(0) == self;
  pthread_t thread;
  int ends[2];
  const int file = open("pid_kept.lock", O_RDWR | O_CREAT, 0600);
  sigset_t usr1, before;
  sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);          // for ever in the other thread: what is sent here waits for this one
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0 && pipe(ends) == 0);
  for (; rounds_over < 2; ++rounds_over) {
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    OK(kill(getpid(), SIGUSR1));
    line();
    CHECK(getpid() == self && gettid() == self, "another process's number");
    CHECK((getpgrp() == self) == (leads || rounds_over > 0) && getpgid(self) == getpgrp() && (getsid(0) == self) == begins_session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    OK(kill(self, SIGUSR1)), OK(raise(SIGUSR1)), CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
    CHECK(calls == 4 * (rounds_over + 1) && from_others == 0, "%d %d", calls, from_others);
    clockid_t of_process;
    CHECK(clock_getcpuclockid(getpid(), &of_process) == 0);
    ask_children(self), ask_paths(self), ask_owner(ends[0]), ask_others(self, file), use_signals_of_libc();
  }
  CHECK(pthread_join(thread, NULL) == 0);
  return finish();
}
