// Becomes another program, in the way that its first word names: what it executes is in the words behind.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// "self 3 PROGRAM": executes itself three times before.
static void again(char** argv) {
  const int left = atoi(argv[2]);
  if (left == 0) execv(argv[3], argv + 3);
  snprintf(argv[2], strlen(argv[2]) + 1, "%d", left - 1);
  execv("/proc/self/exe", argv);
}

static void by_memory(char** words) {
  const int to = memfd_create("copy", MFD_CLOEXEC), from = open(words[0], O_RDONLY);
  char bytes[65536];
  for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;)
    if (write(to, bytes, (size_t)n) != n) return;
  fexecve(to, words, environ);
}

static int by_child(const char* how, char** words) {
  pid_t child = -1;
  if (strcmp(how, "spawn") == 0) {
    if (posix_spawn(&child, words[0], NULL, NULL, words, environ) != 0) return 5;
    return end_of(child);
  }
  child = strcmp(how, "vfork") == 0 ? vfork() : fork();
  if (child == 0) {
    execv(words[0], words);
    _exit(127);
  }
  return end_of(child);
}

static int by_pipe(const char* command) {
  char line[512];
  FILE* const from = popen(command, "r");
  while (fgets(line, sizeof line, from) != NULL) fputs(line, stdout);
  return pclose(from) >> 8;
}

/// errno of a child's execution. Of vfork's child too: nothing of this function is used behind it but what it returns.
__attribute__((noinline)) static pid_t refused_child(int kind, const char* file, char** words) {
  const pid_t child = kind == 0 ? fork() : vfork();
  if (child == 0) {
    execv(file, words);
    _exit(errno);
  }
  return child;
}

/// What the kernel refuses to execute, from the process itself and from children of both kinds.
static int errors(char** words) {
  char *none[] = {NULL}, *one[] = {"x", NULL}, *large[] = {"x", NULL, NULL};
  for (; *words != NULL; ++words) {
    execv(*words, one);
    printf("itself: %d", errno);
    for (int kind = 0; kind < 2; ++kind) {
      fflush(stdout);
      printf(", child: %d", end_of(refused_child(kind, *words, none)));
    }
    puts("");
  }
  large[1] = malloc(4 << 20);
  memset(large[1], 'a', (4 << 20) - 1);
  execv("/bin/true", large);
  printf("too large: %d\n", errno);
  syscall(SYS_execve, (char*)8, one, environ);
  printf("no path: %d\n", errno);
  syscall(SYS_execve, "/bin/true", (char**)8, environ);
  printf("no words: %d\n", errno);
  return 0;
}

/// What goes through an execution: a signal that is blocked and pending, one that is ignored.
static int state(char** argv) {
  sigset_t set;
  struct sigaction hangup;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  if (argv[2] == NULL) {
    char* again_words[] = {argv[0], argv[1], "again", NULL};
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGHUP, SIG_IGN);
    raise(SIGUSR2);
    execv("/proc/self/exe", again_words);
  }
  sigprocmask(SIG_BLOCK, NULL, &set);
  printf("blocked:");
  for (int i = 1; i < 32; ++i) if (sigismember(&set, i)) printf(" %d", i);
  sigpending(&set);
  sigaction(SIGHUP, NULL, &hangup);
  printf(", pending %d, ignored %d\n", sigismember(&set, SIGUSR2), hangup.sa_handler == SIG_IGN);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  const char* const how = argv[1];
  if (strcmp(how, "self") == 0) again(argv);
  if (strcmp(how, "fexecve") == 0) fexecve(open(argv[2], O_RDONLY | O_CLOEXEC), argv + 2, environ);
  if (strcmp(how, "execveat") == 0)
    syscall(SYS_execveat, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), argv[2] + 1, argv + 2, environ, 0);
  if (strcmp(how, "memory") == 0) by_memory(argv + 2);
  if (strcmp(how, "system") == 0) return system(argv[2]) >> 8;
  if (strcmp(how, "popen") == 0) return by_pipe(argv[2]);
  if (strcmp(how, "errors") == 0) return errors(argv + 2);
  if (strcmp(how, "state") == 0) return state(argv);
  if (strstr("fork vfork spawn", how) != NULL) return by_child(how, argv + 2);
  perror(how);
  return 5;
}
