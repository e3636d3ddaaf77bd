/* Calls that mana traps, each with each of its pointers naming memory of many kinds: what a call returns, and which bytes
 * of the memory it wrote, is printed, and must be as natively. */
#ifndef MANA_BAD_POINTERS_H
#define MANA_BAD_POINTERS_H
#include "pointed_memory.h"

/* As the kernel takes it. */
struct action {
  uint64_t handler, flags, restorer, mask;
};
static const uint64_t of_usr2 = 1ul << (SIGUSR2 - 1), of_usr1 = 1ul << (SIGUSR1 - 1), no_signals;
static const struct timespec no_time, long_ago = {0, 1};

static void set_mask(void) { syscall(SYS_rt_sigprocmask, SIG_SETMASK, &of_usr2, NULL, 8); }
static void set_action(void) {
  const struct action ignoring = {1, 0, 0, of_usr1};
  syscall(SYS_rt_sigaction, SIGUSR1, &ignoring, NULL, 8);
}
static void no_alternate_stack(void) {
  const stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
}
static void wait_for_usr2(void) { /* it is pending, once */
  set_mask();
  while (syscall(SYS_rt_sigtimedwait, &of_usr2, NULL, &no_time, 8) > 0) {}
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
}

static void signals(void) {
  static char stack[65536];
  const struct action ignoring = {1, 0, 0, of_usr2};
  const stack_t alternate = {stack, 0, sizeof stack};
  for (int how = 0; how < 3; ++how)
    TRY("rt_sigprocmask, set", plain, &of_usr2, 8, set_mask, SYS_rt_sigprocmask, how, HERE, 0, 8);
  TRY("rt_sigprocmask, set, no such how", plain, &of_usr2, 8, set_mask, SYS_rt_sigprocmask, 77, HERE, 0, 8);
  TRY("rt_sigprocmask, set, no such size", plain, &of_usr2, 8, set_mask, SYS_rt_sigprocmask, 0, HERE, 0, 4);
  TRY("rt_sigprocmask, old", plain, NULL, 8, set_mask, SYS_rt_sigprocmask, SIG_BLOCK, WORD(&of_usr2), HERE, 8);
  TRY("rt_sigprocmask, both", plain, &of_usr2, 8, set_mask, SYS_rt_sigprocmask, SIG_BLOCK, HERE, HERE, 8);
  set_mask();
  TRY("rt_sigaction, new", plain, &ignoring, sizeof ignoring, set_action, SYS_rt_sigaction, SIGUSR1, HERE, 0, 8);
  TRY("rt_sigaction, new, no such signal", plain, &ignoring, sizeof ignoring, NULL, SYS_rt_sigaction, 99, HERE, 0, 8);
  TRY("rt_sigaction, new, of SIGKILL", plain, &ignoring, sizeof ignoring, NULL, SYS_rt_sigaction, SIGKILL, HERE, 0, 8);
  TRY("rt_sigaction, old", plain, NULL, sizeof ignoring, set_action, SYS_rt_sigaction, SIGUSR1, 0, HERE, 8);
  TRY("rt_sigaction, both", plain, &ignoring, sizeof ignoring, set_action, SYS_rt_sigaction, SIGUSR1, HERE, HERE, 8);
  TRY("rt_sigaction, of SIGSYS", varies, NULL, sizeof ignoring, NULL, SYS_rt_sigaction, SIGSYS, 0, HERE, 8);
  TRY("sigaltstack, new", plain, &alternate, sizeof alternate, no_alternate_stack, SYS_sigaltstack, HERE, 0);
  no_alternate_stack();
  TRY("sigaltstack, old", plain, NULL, sizeof alternate, NULL, SYS_sigaltstack, 0, HERE);
}

static void waits_for_signals(void) {
  const uint64_t pair[2] = {(uint64_t)WORD(&no_signals), 8}, bad_pair[2] = {16, 8}, no_pair[2] = {0, 8};
  struct pollfd polled = {0, 0, 0};
  TRY("rt_sigsuspend", waits, &no_signals, 8, set_mask, SYS_rt_sigsuspend, HERE, 8);
  TRY("rt_sigsuspend, no such size", plain, &no_signals, 8, set_mask, SYS_rt_sigsuspend, HERE, 4);
  TRY("rt_sigtimedwait, set", plain, &of_usr1, 8, set_mask, SYS_rt_sigtimedwait, HERE, 0, WORD(&no_time), 8);
  TRY("rt_sigtimedwait, info", varies, NULL, 128, wait_for_usr2, SYS_rt_sigtimedwait, WORD(&of_usr2), HERE,
      WORD(&no_time), 8);
  TRY("rt_sigtimedwait, time", plain, &no_time, 16, wait_for_usr2, SYS_rt_sigtimedwait, WORD(&of_usr2), 0, HERE, 8);
  wait_for_usr2(), syscall(SYS_rt_sigtimedwait, &of_usr2, NULL, &no_time, 8);
  TRY("ppoll, set", plain, &polled, sizeof polled, NULL, SYS_ppoll, HERE, 1, WORD(&no_time), WORD(&no_signals), 8);
  TRY("ppoll, time", endless, &no_time, 16, NULL, SYS_ppoll, 0, 0, HERE, WORD(&no_signals), 8);
  TRY("ppoll, mask", plain, &of_usr2, 8, NULL, SYS_ppoll, 0, 0, WORD(&no_time), HERE, 8);
  TRY("ppoll, mask, no such size", plain, &of_usr2, 8, NULL, SYS_ppoll, 0, 0, WORD(&no_time), HERE, 4);
  static const fd_set none;
  TRY("pselect6, set", plain, &none, sizeof none, NULL, SYS_pselect6, 64, HERE, 0, 0, WORD(&no_time), WORD(pair));
  TRY("pselect6, time", endless, &no_time, 16, NULL, SYS_pselect6, 0, 0, 0, 0, HERE, WORD(pair));
  TRY("pselect6, pair", plain, pair, sizeof pair, NULL, SYS_pselect6, 0, 0, 0, 0, WORD(&no_time), HERE);
  TRY("pselect6, pair without a mask", plain, no_pair, sizeof no_pair, NULL, SYS_pselect6, 0, 0, 0, 0, WORD(&no_time),
      HERE);
  TRY("pselect6, pair with a bad mask", plain, bad_pair, sizeof bad_pair, NULL, SYS_pselect6, 0, 0, 0, 0,
      WORD(&no_time), HERE);
}

static void files(void) {
  static char longest[5000];
  const uint64_t how[3] = {O_RDONLY, 0, 0}, creating[3] = {O_RDONLY | O_PATH, 0, 0};
  const uint64_t handle[16] = {0};
  memset(longest, 'x', sizeof longest);
  TRY("open", opens, "/dev/null", 10, NULL, SYS_open, HERE, O_RDONLY);
  TRY("open, no such file", opens, "/nonexistent", 13, NULL, SYS_open, HERE, O_RDWR);
  TRY("open, not blocking", opens, "/dev/null", 10, NULL, SYS_open, HERE, O_RDONLY | O_NONBLOCK);
  TRY("open, own program", opens, "/proc/self/exe", 15, NULL, SYS_open, HERE, O_RDONLY);
  TRY("open, own arguments", opens, "/proc/self/cmdline", 19, NULL, SYS_open, HERE, O_RDONLY);
  TRY("openat", opens, "/dev/null", 10, NULL, SYS_openat, AT_FDCWD, HERE, O_RDWR);
  TRY("openat2, path", opens, "/dev/null", 10, NULL, SYS_openat2, AT_FDCWD, HERE, WORD(how), sizeof how);
  TRY("openat2, how", opens, how, sizeof how, NULL, SYS_openat2, AT_FDCWD, WORD("/dev/null"), HERE, sizeof how);
  TRY("openat2, how, small", opens, how, 8, NULL, SYS_openat2, AT_FDCWD, WORD("/dev/null"), HERE, 8);
  TRY("openat2, both", opens, creating, sizeof creating, NULL, SYS_openat2, AT_FDCWD, HERE, HERE, sizeof how);
  TRY("creat", opens, "/dev/null", 10, NULL, SYS_creat, HERE, 0600);
  TRY("open_by_handle_at", opens, handle, 8, NULL, SYS_open_by_handle_at, AT_FDCWD, HERE, O_RDONLY);
  TRY("readlink, path", plain, "/nonexistent", 13, NULL, SYS_readlink, HERE, WORD(longest), 10);
  TRY("readlink, own program", plain, "/proc/self/exe", 15, NULL, SYS_readlink, HERE, WORD(longest), 10);
  TRY("readlink, buffer", varies, NULL, 30, NULL, SYS_readlink, WORD("/proc/self/ns/user"), HERE, 30);
  TRY("readlink, buffer, of own program", plain, NULL, 20, NULL, SYS_readlink, WORD("/proc/self/exe"), HERE, 20);
  TRY("readlinkat, buffer, of own program", plain, NULL, 9, NULL, SYS_readlinkat, AT_FDCWD,
      WORD("/proc/thread-self/exe"), HERE, 9);
  TRY("readlink, no room", plain, NULL, 20, NULL, SYS_readlink, WORD("/proc/self/exe"), HERE, 0);
  TRY("readlinkat, path", plain, "/dev/null", 10, NULL, SYS_readlinkat, AT_FDCWD, HERE, WORD(longest), 10);
}

static void new_descriptors(void) {
  TRY("memfd_create", opens, "name", 5, NULL, SYS_memfd_create, HERE, 0);
  TRY("mq_open", opens, "no_such_queue", 14, NULL, SYS_mq_open, HERE, O_RDONLY, 0, 0);
  TRY("fsopen", opens, "tmpfs", 6, NULL, SYS_fsopen, HERE, 0);
  TRY("fspick", opens, "/nonexistent", 13, NULL, SYS_fspick, AT_FDCWD, HERE, 0);
  TRY("open_tree", opens, "/dev/null", 10, NULL, SYS_open_tree, AT_FDCWD, HERE, 0);
  TRY("signalfd4", opens, &of_usr2, 8, NULL, SYS_signalfd4, -1, HERE, 8, 0);
  TRY("signalfd", opens, &of_usr2, 8, NULL, SYS_signalfd, -1, HERE, 8);
  TRY("pipe", opens, NULL, 8, NULL, SYS_pipe, HERE);
  TRY("pipe2", opens, NULL, 8, NULL, SYS_pipe2, HERE, O_NONBLOCK);
  TRY("pipe2, no such flag", opens, NULL, 8, NULL, SYS_pipe2, HERE, 0x70000000);
  TRY("socketpair", opens, NULL, 8, NULL, SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, HERE);
  TRY("socketpair, no such family", opens, NULL, 8, NULL, SYS_socketpair, 77, SOCK_STREAM, 0, HERE);
  TRY("socketpair, no such flag", opens, NULL, 8, NULL, SYS_socketpair, AF_UNIX, SOCK_STREAM | 0x70000000, 0, HERE);
  const int watching = inotify_init1(0);
  TRY("inotify_add_watch", plain, "/dev/null", 10, NULL, SYS_inotify_add_watch, watching, HERE, IN_DELETE_SELF);
  close(watching);
}

static int sockets[2], listener, events, epoll;
static struct sockaddr_un listener_name;
static socklen_t name_bytes;
static void send_one(void) {
  char text[8];
  while (recv(sockets[1], text, sizeof text, MSG_DONTWAIT) >= 0) {}
  send(sockets[0], "text", 4, 0);
}
static void send_descriptor(void) {
  char text[8], control[CMSG_SPACE(2 * sizeof(int))] = {0};
  struct iovec part = {"text", 4};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr* const head = CMSG_FIRSTHDR(&message);
  const int sent[2] = {0, 1};
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof sent);
  memcpy(CMSG_DATA(head), sent, sizeof sent);
  while (recv(sockets[1], text, sizeof text, MSG_DONTWAIT) >= 0) {}
  sendmsg(sockets[0], &message, 0);
}
static void connect_one(void) {
  for (int taken; (taken = accept(listener, NULL, NULL)) >= 0;) close(taken);
  const int from = socket(AF_UNIX, SOCK_STREAM, 0);
  connect(from, (struct sockaddr*)&listener_name, name_bytes);
}

static void messages(void) {
  char text[16], control[64];
  struct iovec part = {text, sizeof text}, bad_part = {(void*)16, 16};
  struct msghdr plainly = {.msg_iov = &part, .msg_iovlen = 1}, badly = {.msg_iov = &bad_part, .msg_iovlen = 1};
  struct msghdr with_rights = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct msghdr bad_control = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = (void*)16, .msg_controllen = 64};
  struct mmsghdr several[2] = {{plainly, 0}, {plainly, 0}};
  struct epoll_event event = {EPOLLIN, {.u64 = 5}};
  socklen_t length = sizeof listener_name;
  socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets);
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  listener_name.sun_family = AF_UNIX;
  bind(listener, (struct sockaddr*)&listener_name, sizeof(sa_family_t));
  name_bytes = sizeof listener_name, getsockname(listener, (struct sockaddr*)&listener_name, &name_bytes);
  listen(listener, 5);
  events = eventfd(1, 0), epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, events, &event);
  TRY("recvmsg, message", varies, &plainly, sizeof plainly, send_one, SYS_recvmsg, sockets[1], HERE, MSG_DONTWAIT);
  TRY("recvmsg, bad vector", varies, &badly, sizeof badly, send_one, SYS_recvmsg, sockets[1], HERE, MSG_DONTWAIT);
  TRY("recvmsg, with descriptors", varies, &with_rights, sizeof with_rights, send_descriptor, SYS_recvmsg, sockets[1],
      HERE, 0);
  TRY("recvmsg, bad control", varies, &bad_control, sizeof bad_control, send_descriptor, SYS_recvmsg, sockets[1], HERE,
      0);
  TRY("recvmmsg, messages", varies, several, sizeof several, send_one, SYS_recvmmsg, sockets[1], HERE, 2, MSG_DONTWAIT,
      0);
  TRY("recvmmsg, time", plain, &no_time, 16, send_one, SYS_recvmmsg, sockets[1], WORD(several), 1, MSG_DONTWAIT, HERE);
  TRY("accept, name", varies | opens, NULL, 16, connect_one, SYS_accept, listener, HERE, WORD(&length));
  TRY("accept, length", opens, &length, sizeof length, connect_one, SYS_accept, listener, WORD(text), HERE);
  TRY("accept4, name", varies | opens, NULL, 16, connect_one, SYS_accept4, listener, HERE, WORD(&length), SOCK_CLOEXEC);
  TRY("epoll_pwait, events", plain, NULL, 12, NULL, SYS_epoll_pwait, epoll, HERE, 1, 0, WORD(&no_signals), 8);
  TRY("epoll_pwait, mask", plain, &no_signals, 8, NULL, SYS_epoll_pwait, epoll, WORD(several), 1, 0, HERE, 8);
  TRY("epoll_pwait2, time", plain, &no_time, 16, NULL, SYS_epoll_pwait2, epoll, WORD(several), 1, HERE,
      WORD(&no_signals), 8);
  TRY("epoll_pwait2, mask", plain, &no_signals, 8, NULL, SYS_epoll_pwait2, epoll, WORD(several), 1, WORD(&no_time),
      HERE, 8);
  close(sockets[0]), close(sockets[1]), close(listener), close(events), close(epoll);
}

static void programs(void) {
  const char *const words[2] = {"word", NULL}, *const bad_words[2] = {(char*)16, NULL};
  TRY("execve, path", plain, "/nonexistent", 13, NULL, SYS_execve, HERE, WORD(words), 0);
  TRY("execve, words", plain, words, sizeof words, NULL, SYS_execve, WORD("/nonexistent"), HERE, 0);
  TRY("execve, environment", plain, words, sizeof words, NULL, SYS_execve, WORD("/nonexistent"), WORD(words), HERE);
  TRY("execve, bad word", endless, bad_words, sizeof bad_words, NULL, SYS_execve, WORD("/bin/true"), HERE, 0);
  TRY("execve, not an executable", plain, words, sizeof words, NULL, SYS_execve, WORD("/dev/null"), HERE, 0);
  TRY("execveat, path", plain, "/nonexistent", 13, NULL, SYS_execveat, AT_FDCWD, HERE, WORD(words), 0, 0);
  TRY("execveat, words", plain, words, sizeof words, NULL, SYS_execveat, AT_FDCWD, WORD("/nonexistent"), HERE, 0, 0);
  TRY("clone, id for the parent", varies | forks, NULL, 4, NULL, SYS_clone, SIGCHLD | 0x00100000, 0, HERE, 0, 0);
  TRY("clone, id for the child", forks, NULL, 4, NULL, SYS_clone, SIGCHLD | 0x01000000, 0, 0, HERE, 0);
  TRY("clone, descriptor", varies | forks, NULL, 4, NULL, SYS_clone, SIGCHLD | 0x00001000, 0, HERE, 0, 0);
}

static void memory(void) {
  static char advised[page];
  const struct iovec vectors[2] = {{advised, 0}, {advised, 0}};
  const uint64_t nodes = 1, attributes[16] = {0};
  const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
  TRY("process_madvise", plain, vectors, sizeof vectors, NULL, SYS_process_madvise, self, HERE, 2, 20, 0);
  close(self);
  TRY("mbind, nodes", plain, &nodes, 8, NULL, SYS_mbind, 0, 0, 2, HERE, 64, 0);
  TRY("bpf", opens, attributes, 72, NULL, SYS_bpf, 77, HERE, 72);
  TRY("landlock_create_ruleset", opens, attributes, 8, NULL, SYS_landlock_create_ruleset, HERE, 8, 0);
  TRY("io_uring_setup", varies | opens, attributes, 120, NULL, SYS_io_uring_setup, 0, HERE);
  TRY("perf_event_open", opens, attributes, 128, NULL, SYS_perf_event_open, HERE, 0, -1, -1, 0);
}

static void async_io(void) {
  static struct iocb request = {.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_nbytes = 1};
  struct iocb *const requests[1] = {&request}, *const bad_request[1] = {(struct iocb*)16};
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, 64, &context) != 0) return;
  const int nothing = open("/dev/null", O_WRONLY);
  request.aio_fildes = (uint32_t)nothing, request.aio_buf = (uint64_t)WORD(&request);
  TRY("io_setup, of one that is", plain, &context, 8, NULL, SYS_io_setup, 1, HERE);
  TRY("io_setup, of no requests", plain, &no_signals, 8, NULL, SYS_io_setup, 0, HERE);
  TRY("io_submit", plain, requests, 8, NULL, SYS_io_submit, (long)context, 1, HERE);
  TRY("io_submit, bad request", plain, bad_request, 8, NULL, SYS_io_submit, (long)context, 1, HERE);
  TRY("io_submit, no context", plain, requests, 8, NULL, SYS_io_submit, 16, 1, HERE);
  TRY("io_submit, no such number", plain, requests, 8, NULL, SYS_io_submit, (long)context, -1, HERE);
  close(nothing);
  syscall(SYS_io_destroy, context);
}

static void clocks(void) {
  static uint32_t word;
  struct {
    uint64_t value, address;
    uint32_t flags, reserved;
  } waiter = {0, (uint64_t)(uintptr_t)&word, 2, 0};
  const struct itimerspec no_timer = {no_time, no_time}, armed = {no_time, {1l << 30, 0}};
  struct sigevent silent = {.sigev_notify = SIGEV_NONE};
  int timer = -1;
  syscall(SYS_timer_create, CLOCK_MONOTONIC, &silent, &timer);
  const int by_number = timerfd_create(CLOCK_MONOTONIC, 0);
  for (int clock = 0; clock < 8; ++clock) TRY("clock_gettime", varies, NULL, 16, NULL, SYS_clock_gettime, clock, HERE);
  TRY("clock_gettime, no such clock", varies, NULL, 16, NULL, SYS_clock_gettime, 77, HERE);
  TRY("clock_nanosleep", plain, &long_ago, 16, NULL, SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, HERE, 0);
  TRY("clock_nanosleep, of the processor", plain, &long_ago, 16, NULL, SYS_clock_nanosleep, CLOCK_PROCESS_CPUTIME_ID, 1,
      HERE, 0);
  TRY("futex, time", endless, &long_ago, 16, NULL, SYS_futex, WORD(&word), FUTEX_WAIT_BITSET, 0, HERE, 0, -1);
  TRY("futex, time long ago", plain, &long_ago, 16, NULL, SYS_futex, WORD(&word), FUTEX_WAIT_BITSET, 7, HERE, 0, -1);
  TRY("futex, no bits", plain, &long_ago, 16, NULL, SYS_futex, WORD(&word), FUTEX_WAIT_BITSET, 0, HERE, 0, 0);
  TRY("futex_waitv, waiters", plain, &waiter, sizeof waiter, NULL, 449, HERE, 1, 0, WORD(&long_ago), CLOCK_MONOTONIC);
  TRY("futex_waitv, time", endless, &long_ago, 16, NULL, 449, WORD(&waiter), 1, 0, HERE, CLOCK_MONOTONIC);
  TRY("futex_wait, time", endless, &long_ago, 16, NULL, 455, WORD(&word), 0, -1, 2, HERE, CLOCK_MONOTONIC);
  TRY("timerfd_settime, new", plain, &no_timer, 32, NULL, SYS_timerfd_settime, by_number, TFD_TIMER_ABSTIME, HERE, 0);
  TRY("timerfd_settime, old", plain, NULL, 32, NULL, SYS_timerfd_settime, by_number, 1, WORD(&no_timer), HERE);
  TRY("timerfd_settime, no descriptor", plain, &armed, 32, NULL, SYS_timerfd_settime, -1, TFD_TIMER_ABSTIME, HERE, 0);
  TRY("timer_settime, new", plain, &no_timer, 32, NULL, SYS_timer_settime, timer, TIMER_ABSTIME, HERE, 0);
  TRY("timer_settime, old", plain, NULL, 32, NULL, SYS_timer_settime, timer, TIMER_ABSTIME, WORD(&no_timer), HERE);
  TRY("timer_settime, no timer", plain, &armed, 32, NULL, SYS_timer_settime, 12345, TIMER_ABSTIME, HERE, 0);
  TRY("times", varies, NULL, sizeof(struct tms), NULL, SYS_times, HERE);
  TRY("getrusage", varies, NULL, sizeof(struct rusage), NULL, SYS_getrusage, RUSAGE_SELF, HERE);
  TRY("getrusage, of the thread", varies, NULL, sizeof(struct rusage), NULL, SYS_getrusage, RUSAGE_THREAD, HERE);
  close(by_number);
  syscall(SYS_timer_delete, timer);
}

/* Of all calls. The signal mask is that of SIGUSR2 afterwards. */
static void try_all(const char* where) {
  printf("--- %s\n", where);
  set_mask();
  if (place == NULL) map_place();
  signals(), waits_for_signals(), files(), new_descriptors(), messages(), programs(), memory(), async_io(), clocks();
  fflush(stdout);
}

#endif
