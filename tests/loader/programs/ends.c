/* Ends in the way that its argument names. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int* volatile nowhere;
static void at_end(void) { puts("at exit"); }
static void at_quick_end(void) { puts("at quick exit"); fflush(stdout); }
static void __attribute__((destructor)) last(void) { puts("destructor"); }

static void* exits(void* argument) { (void)argument; exit(6); }
static void* ends_last(void* argument) {
  pthread_join(*(pthread_t*)argument, NULL);
  puts("thread after main");
  return NULL;
}
static void* sleeps(void* argument) { for (;;) pause(); return argument; }

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  atexit(at_end);
  at_quick_exit(at_quick_end);
  static pthread_t self, other;
  self = pthread_self();
  printf("ends by %s\n", how);
  if (strcmp(how, "exit") == 0) exit(300);            /* 44 for the parent */
  if (strcmp(how, "_exit") == 0) _exit(4);            /* nothing is written */
  if (strcmp(how, "quick_exit") == 0) quick_exit(5);
  if (strcmp(how, "thread") == 0) {
    pthread_create(&other, NULL, exits, NULL);
    pthread_join(other, NULL);
  }
  if (strcmp(how, "threads") == 0) {                  /* others are still there */
    for (int i = 0; i < 8; ++i) pthread_create(&other, NULL, sleeps, NULL);
    return 7;
  }
  if (strcmp(how, "last_thread") == 0) {
    pthread_create(&other, NULL, ends_last, &self);
    pthread_exit(NULL);
  }
  if (strcmp(how, "sys_exit") == 0) {                 /* the only thread, by the system call itself */
    fflush(stdout);
    syscall(SYS_exit, 9);
  }
  fflush(stdout);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "fault") == 0) *nowhere = 1;
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "term") == 0) kill(getpid(), SIGTERM);
  if (strcmp(how, "alarm") == 0) { alarm(1); pause(); }
  if (strcmp(how, "fpe") == 0) { volatile int zero = 0; zero = 1 / zero; }
  return 3;
}
