// without_mana [NAME…]: a process into which mana's wrapper library came by LD_PRELOAD, but which runs without mana. What
// needs no MPI works, in all threads. Each function NAME is called in a child of its own, with arguments that are zero;
// a child that dies by a signal is told of, and so is one that goes on as if there were MPI.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*any_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                            uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static void* ask(void* nothing) {
  int flag = 7, version, subversion, length;
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Initialized(&flag);
  MPI_Get_version(&version, &subversion);
  MPI_Get_processor_name(name, &length);
  printf("initialized %d, version %d\n", flag, version);
  return nothing;
}

static int call(const char* name) {
  any_function function;
  *(void**)&function = dlsym(RTLD_DEFAULT, name);
  if (function == NULL) return 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(240);
    function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s: signal %d\n", name, WTERMSIG(status));
  return 1;
}

int main(int argc, char** argv) {
  pthread_t threads[4];
  int called = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  ask(NULL);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, ask, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 1; i < argc; ++i) called += call(argv[i]);
  if (argc > 1) printf("%d functions\n", called);
  int rank = 0;
  if (argc == 1) return 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  puts("it is a rank in secret");
  return 0;
}
