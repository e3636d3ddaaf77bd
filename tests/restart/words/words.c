// words HOW MODE: what a program has printed when it ends in another way than by exit. Text without an end of line, in
// its standard output and in a file of its own, and what its handlers at exit and destructors say. With STOP, after a
// checkpoint that ends the job. HOW: abort (MPI_Abort), self (of MPI_COMM_SELF), thread (in a thread), early and late
// (outside of MPI), error (of MPI, fatal), assert (abort()), kill, _exit, finalize. MODE: what the program does with its
// output before MPI_Init: full or line (setvbuf), print; again: setvbuf behind it.
#include <mana/api.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static FILE* notes;

static void say(const char* text) { (void)!write(STDERR_FILENO, text, strlen(text)); }
static void at_exit(void) {
  fprintf(notes, "at exit, ");
  say("FINAL at exit\n");
}
__attribute__((destructor)) static void at_the_very_end(void) { say("FINAL destructor\n"); }

static void show(const char* when) {
  FILE* const standard[] = {stdin, stdout, stderr};
  char line[200];
  for (int i = 0; i < 3; ++i) {
    snprintf(line, sizeof line, "FINAL %s, stream %d: %zu bytes, by lines %d\n", when, i, __fbufsize(standard[i]),
             __flbf(standard[i]) != 0);
    say(line);
  }
}

static void* abort_job(void* nothing) {
  MPI_Abort(MPI_COMM_WORLD, 5);
  return nothing;
}

static void end_by(const char* how) {
  pthread_t thread;
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  else if (strcmp(how, "self") == 0) MPI_Abort(MPI_COMM_SELF, 4);
  else if (strcmp(how, "error") == 0) MPI_Comm_size(MPI_COMM_NULL, (int[1]){0});
  else if (strcmp(how, "assert") == 0) abort();
  else if (strcmp(how, "kill") == 0) raise(SIGKILL);
  else if (strcmp(how, "_exit") == 0) _exit(6);
  else if (strcmp(how, "thread") == 0 && pthread_create(&thread, NULL, abort_job, NULL) == 0)
    pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  static char buffer[100];
  const struct rlimit none = {0, 0};
  const char *how = argv[1], *mode = argv[2];
  int level;
  setrlimit(RLIMIT_CORE, &none);
  notes = fopen("notes", "w");
  atexit(at_exit);
  if (strstr(mode, "line") != NULL) setvbuf(stdout, NULL, _IOLBF, 0);
  if (strstr(mode, "full") != NULL) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  if (strstr(mode, "print") != NULL) printf("before MPI_Init, ");
  show("before");
  if (strcmp(how, "early") == 0) {
    printf("early words");
    fprintf(notes, "early notes, ");
    MPI_Abort(MPI_COMM_WORLD, 8);
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  show("after");
  if (strstr(mode, "again") != NULL) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  if (getenv("STOP") != NULL) {
    mana_checkpoint(MANA_STOP);
    while (mana_restarts() == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  show("later");
  printf("last words");
  fprintf(notes, "notes, ");
  end_by(how);
  MPI_Finalize();
  if (strcmp(how, "late") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  return 0;
}
