/* Trapped calls with pointers to memory of all kinds (bad_pointers.h): alone, beside another thread, where
 * process_vm_readv is refused, as containers do, and in a child; by libc's functions; while another thread takes the
 * memory away; and threads that end with bad addresses that the kernel is to look at then. */
#define _GNU_SOURCE
#include "bad_pointers.h"
#include "check.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>

static void* rest(void* unused) {
  for (;;) pause();
  return unused;
}

static void refuse_process_vm(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
}

static void in_a_child(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    try_all("in a child");
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("the child ended with %x\n", (unsigned)status);
}

#define SHOW(CALL)                                       \
  do {                                                   \
    errno = 0;                                           \
    const long r = (CALL);                               \
    printf("%s: %ld %d\n", #CALL, r > 0 ? 1 : r, errno); \
  } while (0)
static void by_libc(void) {
  map_place();
  mprotect(place, 2 * page, PROT_NONE);
  void* volatile no = place;
  struct msghdr message = {0};
  int two[2];
  SHOW(open(no, O_RDONLY));
  SHOW(openat(AT_FDCWD, no, O_RDONLY));
  SHOW(creat(no, 0600));
  SHOW(readlink(no, (char*)two, 4));
  SHOW(readlink("/proc/self/exe", no, 4));
  SHOW(pipe(no));
  SHOW(pipe2(no, 0));
  SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, no));
  SHOW(sigaltstack(no, NULL));
  SHOW(sigaltstack(NULL, no));
  SHOW(getrusage(RUSAGE_SELF, no));
  SHOW(memfd_create(no, 0));
  SHOW(execv(no, (char* const*)no));
  SHOW(execve("/bin/true", no, NULL));
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, two) == 0);
  CHECK(write(two[0], "x", 1) == 1);
  SHOW(recvmsg(two[1], no, 0));
  message.msg_iov = no, message.msg_iovlen = 1;
  SHOW(recvmsg(two[1], &message, 0));
  const int watching = inotify_init1(0);
  SHOW(inotify_add_watch(watching, no, IN_CREATE));
  SHOW(syscall(SYS_mq_notify, -1, no));
  close(two[0]), close(two[1]), close(watching);
}

static volatile int race_ends;
static void* take_away(void* unused) {
  while (!race_ends) mprotect(place, page, PROT_NONE), mprotect(place, page, PROT_READ | PROT_WRITE);
  return unused;
}
/* Whether the memory is there changes all the time: each call says one or the other, and none ends the process. */
static void race(void) {
  pthread_t other;
  map_place();
  memset(place, 0, page);
  CHECK(pthread_create(&other, NULL, take_away, NULL) == 0);
  for (int i = 0; i < 3000; ++i) {
    void* const at = place + 8 * (i % 400);
    const long results[] = {
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, at, NULL, 8), syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, at, 8),
        syscall(SYS_rt_sigaction, SIGUSR1, NULL, at, 8),     syscall(SYS_sigaltstack, NULL, at),
        syscall(SYS_ppoll, NULL, 0, &no_time, at, 8),        syscall(SYS_getrusage, RUSAGE_SELF, at)};
    for (unsigned k = 0; k < sizeof results / sizeof *results; ++k) CHECK(results[k] == 0 || errno == EFAULT);
  }
  race_ends = 1;
  CHECK(pthread_join(other, NULL) == 0);
  printf("the race is over\n");
}

static volatile pid_t ending;
static void* end_with(void* number) {
  map_place();
  mprotect(place, 2 * page, PROT_NONE);
  struct {
    void* next;
    long offset;
    void* pending;
  }* const list = (void*)(intptr_t)number;
  ending = (pid_t)syscall(SYS_gettid);
  if (list == NULL) syscall(SYS_set_tid_address, place);
  else syscall(SYS_set_robust_list, list, 24);
  syscall(SYS_exit, 0);
  return NULL;
}
static void threads_that_end(void) {
  static struct {
    void* next;
    long offset;
    void* pending;
  } entry_is_bad, pending_is_bad;
  entry_is_bad.next = (void*)16, entry_is_bad.pending = NULL;
  pending_is_bad.next = &pending_is_bad, pending_is_bad.pending = (void*)16;
  void* const lists[] = {NULL, place, (void*)16, &entry_is_bad, &pending_is_bad};
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (unsigned i = 0; i < sizeof lists / sizeof *lists; ++i) {
    pthread_t thread;
    ending = 0;
    CHECK(pthread_create(&thread, &detached, end_with, lists[i]) == 0);
    while (ending == 0 || syscall(SYS_tgkill, getpid(), ending, 0) == 0) sched_yield();
  }
  printf("the threads have ended\n");
}

int main(void) {
  pthread_t beside;
  try_all("alone");
  in_a_child();
  by_libc();
  CHECK(pthread_create(&beside, NULL, rest, NULL) == 0);
  try_all("beside a thread");
  race();
  threads_that_end();
  refuse_process_vm();
  try_all("without process_vm_readv");
  return 0;
}
