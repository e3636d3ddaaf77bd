/* Processes that the program starts: by fork, vfork, posix_spawn, system, popen, and what the children may do. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static __thread int own = 3;
static volatile int* volatile nowhere;

static int status_of(pid_t child) {
  int status = 0;
  pid_t got;
  do got = waitpid(child, &status, 0); while (got == -1 && errno == EINTR);
  CHECK(child > 0 && got == child);
  return status;
}
static int exit_code(pid_t child) {
  const int status = status_of(child);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void* in_child_thread(void* argument) {
  CHECK(own == 3);
  own = 4;
  free(malloc(1 << 20));
  return argument;
}

static volatile sig_atomic_t hits;
static void on_usr1(int signal) { (void)signal; ++hits; }

/* A child with its copy of the memory uses all of it: heap, mappings, threads, signals, and children of its own. */
static void busy_child(void) {
  for (size_t n = 1; n < (64u << 20); n *= 3) {
    char* const p = malloc(n);
    check_place(p);
    p[n - 1] = 1;
    free(p);
  }
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    void* result = NULL;
    CHECK(pthread_create(&thread, NULL, in_child_thread, environ) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == environ);
  }
  CHECK(signal(SIGUSR1, on_usr1) != SIG_ERR && raise(SIGUSR1) == 0 && hits == 1);
  const pid_t grandchild = fork();
  if (grandchild == 0) _exit(12);
  CHECK(exit_code(grandchild) == 12);
  CHECK(exit_code(vfork() ?: (execl("/bin/sh", "sh", "-c", "exit 13", (char*)NULL), _exit(1), 0)) == 13);
  struct timespec now;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  exit(11);
}

static void forks(void) {
  const pid_t parent = getpid();
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      CHECK(getppid() == parent && getpid() != parent && gettid() == getpid() && own == 3);
      busy_child();
    }
    CHECK(exit_code(child) == 11);
  }
  const pid_t child = fork();
  if (child == 0) raise(SIGTERM);
  CHECK(WTERMSIG(status_of(child)) == SIGTERM);
  const pid_t aborts = fork();
  if (aborts == 0) abort();
  CHECK(WTERMSIG(status_of(aborts)) == SIGABRT);
  const pid_t faults = fork();
  if (faults == 0) *nowhere = 1;
  CHECK(WTERMSIG(status_of(faults)) == SIGSEGV);
}

static void executes(void) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("sh", "sh", "-c", "echo executed; exit 21", (char*)NULL);
    _exit(1);
  }
  CHECK(exit_code(child) == 21);
  const pid_t fails = vfork();
  if (fails == 0) {
    execl("/nonexistent/program", "x", (char*)NULL);
    _exit(errno == ENOENT ? 22 : 1);
  }
  CHECK(exit_code(fails) == 22);
  CHECK(WEXITSTATUS(system("exit 23")) == 23);
  pid_t spawned = 0;
  char* const words[] = {(char*)"sh", (char*)"-c", (char*)"echo spawned >&2; exit 24", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  CHECK(posix_spawnp(&spawned, "sh", &actions, NULL, words, environ) == 0 && exit_code(spawned) == 24);
  posix_spawn_file_actions_destroy(&actions);
  CHECK(posix_spawn(&spawned, "/nonexistent/program", NULL, NULL, words, environ) == ENOENT);
  FILE* const pipe = popen("cat; exit 25", "w");
  CHECK(pipe != NULL && fputs("through a pipe\n", pipe) > 0 && WEXITSTATUS(pclose(pipe)) == 25);
}

/* A process of its own on a new stack, which shares our memory: its writes are ours. */
static atomic_int written;
static int shares_memory(void* argument) {
  atomic_store(&written, *(int*)argument);
  _exit(31);
}
static void clones(void) {
  static char stack[256 << 10] __attribute__((aligned(16)));
  int word = 5;
  CHECK(exit_code(clone(shares_memory, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &word)) == 31 && written == 5);
  word = 6;
  CHECK(exit_code(clone(shares_memory, stack + sizeof stack, SIGCHLD, &word)) == 31 && written == 5);
}

static atomic_int stop;
static void* allocates(void* argument) {
  while (atomic_load(&stop) == 0) {
    free(malloc(200 << 10));
    void* const p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p, 1 << 20);
  }
  return argument;
}

/* Children of a program whose other threads are in the middle of everything. */
static void forks_among_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&threads[i], NULL, allocates, NULL) == 0);
  for (int i = 0; i < 60; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      free(malloc(5 << 20));
      exit(41);
    }
    CHECK(exit_code(child) == 41);
    if (i % 10 == 0) CHECK(WEXITSTATUS(system("exit 42")) == 42);
  }
  stop = 1;
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

static void on_child(int signal) { (void)signal; ++hits; }

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  forks();
  executes();
  clones();
  forks_among_threads();
  hits = 0;
  CHECK(signal(SIGCHLD, on_child) != SIG_ERR);
  CHECK(exit_code(fork() ?: (_exit(51), 0)) == 51 && hits == 1);
  CHECK(wait(NULL) == -1 && errno == ECHILD);
  puts("children are born and die");
}
