// Does what its first word says, comes to a definite place (the file $HOLD.0), and waits there until the file $HOLD exists:
//   surroundings    it gives up a capability, has a namespace, a group and a filter of system calls of its own
//   group           the same without the filter and the rest: another group
//   moments         it asks for signals of changes in a directory, restricts itself by landlock, traces a child
//   directories     two of its threads have one working directory together, apart from the first's
//   rights FILE     a child of it executes a file that gives rights
//   terminal        it takes keys of its terminal one by one
//   key             memory with a protection key
//   droppable       memory that the kernel may drop
// What it cannot do here it names, and ends with 77.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const char* hold_file;

static void hold(void) {
  char mine[4096];
  snprintf(mine, sizeof mine, "%s.0", hold_file);
  mknod(mine, S_IFREG | 0600, 0);      // never open: the driver may ask for a checkpoint as soon as it sees the file
  while (access(hold_file, F_OK) != 0) usleep(5000);
}

static void need(int done, const char* what) {
  if (done) return;
  printf("cannot: %s: %s\n", what, strerror(errno));
  fflush(stdout);
  _exit(77);
}

/// On a thread of its own: the first one has none.
static void* filtered(void* unused) {
  struct sock_filter all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const struct sock_fprog program = {1, all};
  need(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0, "seccomp");
  hold();
  return unused;
}

static void surroundings(void) {
  pthread_t thread;
  need(prctl(PR_CAPBSET_DROP, 25 /* CAP_SYS_TIME */, 0, 0, 0) == 0, "PR_CAPBSET_DROP");
  need(unshare(CLONE_NEWUTS) == 0, "unshare");
  need(setegid(1234) == 0, "setegid");
  need(pthread_create(&thread, NULL, filtered, NULL) == 0, "pthread_create");
  pthread_join(thread, NULL);
}

static pthread_barrier_t both_there;
static void* second(void* unused) {
  pthread_barrier_wait(&both_there);
  hold();
  return unused;
}
static void* first(void* unused) {
  pthread_t thread;
  need(unshare(CLONE_FS) == 0 && chdir("/") == 0, "unshare");
  need(pthread_create(&thread, NULL, second, NULL) == 0, "pthread_create");
  pthread_barrier_wait(&both_there);
  pthread_join(thread, NULL);
  return unused;
}
static void directories(void) {
  pthread_t thread;
  pthread_barrier_init(&both_there, NULL, 2);
  need(pthread_create(&thread, NULL, first, NULL) == 0, "pthread_create");
  pthread_join(thread, NULL);
}

static void moments(void) {
  const int here = open(".", O_RDONLY);
  need(fcntl(here, F_NOTIFY, DN_RENAME) == 0, "F_NOTIFY");
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
  int status;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) ptrace(PTRACE_CONT, child, NULL, (void*)(long)WSTOPSIG(status));
  need(WIFEXITED(status) && WEXITSTATUS(status) == 0, "PTRACE_TRACEME");
  const struct landlock_ruleset_attr rules = {.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_BLOCK};
  const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (ruleset < 0) {
    puts("no landlock");
  } else {
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0, "landlock");
    close(ruleset);
  }
  fflush(stdout);
  hold();
}

static void execute(const char* file) {
  const pid_t child = fork();
  if (child == 0) {
    execl(file, file, "--version", (char*)NULL);
    _exit(127);
  }
  int status = -1;
  need(waitpid(child, &status, 0) == child && status == 0, file);
}

static void terminal(void) {
  struct termios t;
  need(tcgetattr(0, &t) == 0, "tcgetattr");
  t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  t.c_cc[VMIN] = 3;
  need(tcsetattr(0, TCSANOW, &t) == 0, "tcsetattr");
  hold();
  memset(&t, 0, sizeof t);
  tcgetattr(0, &t);
  printf("FINAL by lines %d, shown %d, at least %d\n", (t.c_lflag & ICANON) != 0, (t.c_lflag & ECHO) != 0, t.c_cc[VMIN]);
}

static void key(void) {
  const long number = syscall(SYS_pkey_alloc, 0, 0);
  need(number > 0, "pkey_alloc");
  void* const at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  need(syscall(SYS_pkey_mprotect, at, 4096, PROT_READ | PROT_WRITE, number) == 0, "pkey_mprotect");
  hold();
}

/// Of the mapping at this address.
static int has_flag(const void* at, const char* flag) {
  char line[1024], wanted[8];
  unsigned long begin = 0, end = 0;
  FILE* const file = fopen("/proc/self/smaps", "r");
  snprintf(wanted, sizeof wanted, " %s ", flag);
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "%lx-%lx ", &begin, &end);
    if (strncmp(line, "VmFlags:", 8) == 0 && begin <= (unsigned long)at && (unsigned long)at < end) {
      fclose(file);
      return strstr(line, wanted) != NULL;
    }
  }
  return -1;
}

static void droppable(void) {
  char* const at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, 0x08 /* MAP_DROPPABLE */ | MAP_ANONYMOUS, -1, 0);
  need(at != MAP_FAILED, "MAP_DROPPABLE");
  strcpy(at, "kept");
  hold();
  printf("FINAL droppable %d, contents %s\n", has_flag(at, "dp"), at);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  hold_file = getenv("HOLD");
  if (strcmp(what, "surroundings") == 0) surroundings();
  if (strcmp(what, "group") == 0) need(setegid(1234) == 0, "setegid"), hold();
  if (strcmp(what, "directories") == 0) directories();
  if (strcmp(what, "moments") == 0) moments();
  if (strcmp(what, "rights") == 0 && argc > 2) execute(argv[2]), hold();
  if (strcmp(what, "terminal") == 0) terminal();
  if (strcmp(what, "key") == 0) key();
  if (strcmp(what, "droppable") == 0) droppable();
  puts("FINAL");
  return 0;
}
