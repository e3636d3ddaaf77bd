// crash HOW WHERE WHOSE: a program that crashes behind MPI_Init; with STOP, after a checkpoint that ends the job.
// HOW: abort, fpe, ill, bus, segv, or the number of a signal that it sends itself. WHERE: main, thread, child (which a
// fork makes). WHOSE: none, or handlers of its own, installed before or after MPI_Init (or both), that go on to what
// was there.
#include <mana/api.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE, AFTER };
static struct sigaction old[2][65];
static const int handled[] = {SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGSEGV};

static void say(const char* text) { (void)!write(STDOUT_FILENO, text, strlen(text)); }

static void go_on(const struct sigaction* to, int number, siginfo_t* info, void* context) {
  if (to->sa_handler == SIG_DFL || to->sa_handler == SIG_IGN) {
    say("the standard action\n");
    signal(number, SIG_DFL);
    raise(number);
  } else if ((to->sa_flags & SA_SIGINFO) != 0) {
    say("the earlier one, with three words\n");
    to->sa_sigaction(number, info, context);
  } else {
    say("the earlier one, with one word\n");
    to->sa_handler(number);
  }
}

static void before(int number, siginfo_t* info, void* context) {
  say("the handler from before MPI_Init\n");
  go_on(&old[BEFORE][number], number, info, context);
}

/// Once: where the earlier handler returns, the instruction that crashed is made again.
static void after(int number, siginfo_t* info, void* context) {
  static volatile sig_atomic_t calls;
  say("the handler from after MPI_Init\n");
  if (++calls > 1) signal(number, SIG_DFL);
  go_on(&old[AFTER][number], number, info, context);
}

static void install(int which, void (*handler)(int, siginfo_t*, void*)) {
  for (size_t i = 0; i < sizeof handled / sizeof *handled; ++i) {
    struct sigaction wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_sigaction = handler;
    wanted.sa_flags = SA_SIGINFO | (which == BEFORE ? (int)SA_RESETHAND : 0);
    sigaction(handled[i], &wanted, &old[which][handled[i]]);
  }
}

static volatile int zero, seven = 7;

static void crash_by_bus_error(void) {
  char name[] = "/tmp/crash-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  volatile char* const memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  memory[0] = 1;
}

__attribute__((noinline)) void crash_here(const char* how) {
  if (strcmp(how, "abort") == 0) abort();
  else if (strcmp(how, "fpe") == 0) seven = seven / zero;
  else if (strcmp(how, "ill") == 0) __builtin_trap();
  else if (strcmp(how, "bus") == 0) crash_by_bus_error();
  else if (strcmp(how, "segv") == 0) *(volatile int*)(size_t)zero = 1;
  else raise(atoi(how));
  say("it goes on\n");
}

__attribute__((noinline)) void* crash_in_thread(void* how) {
  crash_here(how);
  return NULL;
}

static void in_child(char* how) {
  const pid_t child = fork();
  if (child == 0) {
    crash_here(how);
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("the child: %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status));
}

static void in_thread(char* how) {
  pthread_t thread;
  pthread_create(&thread, NULL, crash_in_thread, how);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  const struct rlimit none = {0, 0};
  const char *where = argc > 3 ? argv[2] : "", *whose = argc > 3 ? argv[3] : "";
  setrlimit(RLIMIT_CORE, &none);
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strstr(whose, "before") != NULL) install(BEFORE, before);
  MPI_Init(&argc, &argv);
  if (strstr(whose, "after") != NULL) install(AFTER, after);
  if (getenv("STOP") != NULL) {
    mana_checkpoint(MANA_STOP);
    while (mana_restarts() == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(where, "thread") == 0) in_thread(argv[1]);
  else if (strcmp(where, "child") == 0) in_child(argv[1]);
  else crash_here(argv[1]);
  MPI_Finalize();
  return 0;
}
