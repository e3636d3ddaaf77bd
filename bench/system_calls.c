// What a system call costs, ns: a line "NAME NS" each, NAME as bench/system_calls.py knows it. Then "ready", and once more when the
// process is another one, restarted.
#define _GNU_SOURCE
#include "median.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { batches = 41, calls = 2000 };

static int zero, null;
static char page[4096];
static unsigned word;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void get_parent(void) { syscall(SYS_getppid); }
static void read_byte(void) { (void)!read(zero, page, 1); }
static void write_byte(void) { (void)!write(null, page, 1); }
static void seek(void) { lseek(zero, 0, SEEK_CUR); }
static void look_at(void) { struct stat s; fstat(null, &s); }
static void wake(void) { syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0); }
static void poll_now(void) { struct pollfd p = {null, POLLOUT, 0}; syscall(SYS_poll, &p, 1, 0); }
static void give_back(void) { madvise(page, 0, MADV_DONTNEED); }
static void ask_flags(void) { fcntl(null, F_GETFL); }
static void yield(void) { sched_yield(); }
static void ask_own_place(void) { cpu_set_t set; sched_getaffinity(0, sizeof set, &set); }
static void tell_time(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); }
static void tell_used(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); }
static void ask_used(void) { struct rusage r; getrusage(RUSAGE_SELF, &r); }
static void signal_self(void) { syscall(SYS_tgkill, getpid(), gettid(), 0); }
static void change_mask(void) { sigset_t s; sigprocmask(SIG_BLOCK, NULL, &s); }
static void wait_masked(void) {
  sigset_t s;
  const struct timespec none = {0, 0};
  sigemptyset(&s), ppoll(NULL, 0, &none, &s);
}
static void open_and_close(void) { close(open("/dev/null", O_RDONLY)); }
static void map_and_unmap(void) {
  munmap(mmap(NULL, sizeof page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), sizeof page);
}

static const struct { const char* name; void (*call)(void); } kinds[] = {
    {"getppid", get_parent},          {"read", read_byte},           {"write", write_byte},   {"lseek", seek},
    {"fstat", look_at},               {"futex-wake", wake},          {"poll", poll_now},      {"madvise", give_back},
    {"fcntl", ask_flags},             {"sched_yield", yield},        {"affinity", ask_own_place},
    {"clock-monotonic", tell_time},   {"clock-thread", tell_used},   {"getrusage", ask_used},
    {"tgkill", signal_self},          {"sigprocmask", change_mask},  {"ppoll-mask", wait_masked},
    {"open-close", open_and_close},   {"mmap-munmap", map_and_unmap},
};

static void measure(void) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    double each[batches];
    for (int b = 0; b < batches; ++b) {
      const double begun = now_ns();
      for (int i = 0; i < calls; ++i) kinds[k].call();
      each[b] = (now_ns() - begun) / calls;
    }
    printf("%s %.1f\n", kinds[k].name, median(each, batches));
  }
  puts("ready"), fflush(stdout);
}

int main(int argc, char** argv) {
  zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
  measure();
  const struct timespec moment = {0, 1000000};
  if (argc > 1) while (access(argv[1], F_OK) != 0) nanosleep(&moment, NULL);      // until it has been stopped
  if (argc > 1) measure();
  return 0;
}
