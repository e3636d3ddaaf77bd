// A program without MPI: threads that compute, a file that it writes, a timer, memory of several kinds. It comes to a definite place
// and waits there until the file $HOLD exists; then all must be as if it had not waited. With a word:
//   loop SECONDS        no place to wait at: it computes so long, and ends by itself
//   child               it waits for a child process at that place
//   background          it has a child process at that place, and does not wait for it
//   load LIBRARY        it loads an MPI there, which is none of its libraries, and calls MPI_Init
//   locks               threads take and leave locks that check their owner, all the time
//   keep LIBRARY        it loads an MPI and calls nothing of it
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { threads = 3, numbers = 1 << 18 };

static pthread_t busy;

static atomic_int go_on = 1;
static atomic_int ticks;
static _Thread_local long own = 7;
static const char* hold_file;

static void on_tick(int signal) {
  (void)signal;
  ++ticks;
}

static void check(int holds, const char* what) {
  if (holds) return;
  printf("FINAL does not hold: %s\n", what);
  fflush(stdout);
  _exit(1);
}

static void* compute(void* argument) {
  unsigned long x = (unsigned long)(size_t)argument;
  own = (long)(size_t)argument;
  while (go_on) {
    for (int i = 0; i < 1000; ++i) x = x * 6364136223846793005ul + 1442695040888963407ul;
    usleep(200);
  }
  check(own == (long)(size_t)argument, "a thread's own variable");
  return (void*)(size_t)own;
}

/// Lines meet it anywhere in libc's functions for locks: they know their thread by its id, which a restart changes.
static void* lock_and_unlock(void* argument) {
  const int recursive = (int)(size_t)argument % 2 == 0;
  pthread_mutexattr_t kind;
  pthread_mutex_t mutex;
  pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  while (go_on && (recursive || access(hold_file, F_OK) != 0)) {
    for (int i = 0; i < 100000; ++i) {
      check(pthread_mutex_lock(&mutex) == 0, "a lock is taken");
      check(pthread_mutex_trylock(&mutex) == (recursive ? 0 : EBUSY), "a lock that is held is tried");
      if (recursive) check(pthread_mutex_unlock(&mutex) == 0, "a recursive lock is left once");
      check(pthread_mutex_unlock(&mutex) == 0, "a lock is left");
      check(pthread_rwlock_wrlock(&both) == 0, "a lock is taken for writing");
      check(pthread_rwlock_trywrlock(&both) == EBUSY, "a lock for writing is tried");
      check(pthread_rwlock_unlock(&both) == 0, "a lock for writing is left");
    }
  }
  return NULL;
}

static void come(void) {
  char name[4096];
  snprintf(name, sizeof name, "%s.0", hold_file);
  mknod(name, S_IFREG | 0600, 0);      // never open: the driver may ask for a checkpoint as soon as it sees the file
}

static void hold(void) {
  come();
  while (access(hold_file, F_OK) != 0) usleep(5000);
}

/// At the place, in its own way.
static void stay(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  pid_t child = 0;
  if (strcmp(what, "loop") == 0) {
    for (time_t end = time(NULL) + atoi(words[2]); time(NULL) < end;) usleep(2000);
    return;
  }
  if (strcmp(what, "child") == 0 || strcmp(what, "background") == 0) {
    if ((child = fork()) == 0) {
      hold();
      _exit(3);
    }
  }
  if (strcmp(what, "locks") == 0) {
    pthread_create(&busy, NULL, lock_and_unlock, (void*)0);
    come();
    lock_and_unlock((void*)1);
  }
  if (strcmp(what, "load") == 0 || strcmp(what, "keep") == 0) {
    void* library = dlopen(words[2], RTLD_NOW | RTLD_GLOBAL);
    check(library != NULL, library == NULL ? dlerror() : "");
    int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(RTLD_DEFAULT, "MPI_Init");
    if (strcmp(what, "load") == 0) init(&count, &words);
  }
  if (strcmp(what, "child") != 0) hold();
  int status = 0;
  if (child > 0) check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3, "the child's status");
}

int main(int count, char** words) {
  hold_file = getenv("HOLD");
  unsigned* memory = malloc(numbers * sizeof *memory);
  unsigned* shared = mmap(NULL, numbers * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (unsigned i = 0; i < numbers; ++i) memory[i] = shared[i] = i * 2654435761u;
  FILE* file = fopen("written", "w+");
  fprintf(file, "before\n");
  fflush(file);
  signal(SIGALRM, on_tick);
  struct itimerval every = {{0, 20000}, {0, 20000}};
  setitimer(ITIMER_REAL, &every, NULL);
  pthread_t all[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, compute, (void*)(size_t)(i + 1));
  stay(count, words);
  const int before = ticks;
  while (ticks == before) usleep(1000);
  go_on = 0;
  for (long i = 0; i < threads; ++i) {
    void* result;
    pthread_join(all[i], &result);
    check(result == (void*)(size_t)(i + 1), "a thread's result");
  }
  if (count > 1 && strcmp(words[1], "locks") == 0) pthread_join(busy, NULL);
  check(own == 7, "the initial thread's own variable");
  for (unsigned i = 0; i < numbers; ++i) check(memory[i] == i * 2654435761u && shared[i] == memory[i], "memory");
  fprintf(file, "after\n");
  rewind(file);
  char line[16];
  check(fgets(line, sizeof line, file) != NULL && strcmp(line, "before\n") == 0, "the file's first line");
  check(fgets(line, sizeof line, file) != NULL && strcmp(line, "after\n") == 0, "the file's second line");
  printf("FINAL as it was, words %d\n", count);
  return 5;
}
