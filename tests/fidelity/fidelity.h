// Frame of the programs about what a process has besides MPI. Each sets something up, comes to line() twice, and checks after
// each that all is as it was. What it prints depends on nothing but that.
//
//   int main(int argc, char** argv) {
//     begin(&argc, &argv);
//     ... CHECK(condition);
//     line(); ... CHECK(condition);
//     line(); ... CHECK(condition);
//     return finish();
//   }
//
// The environment variable FIDELITY says what happens at each line, a letter for each: g a checkpoint, and the program goes on;
// s a checkpoint that ends the job, so that it goes on in a new process; anything else, or no letter: nothing.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define OMPI_SKIP_MPICXX 1          // the C++ bindings of MPI-2, which are not free of warnings
#define MPICH_SKIP_MPICXX 1
#include <mana/api.h>
#include <mpi.h>

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int me, ranks;            // in MPI_COMM_WORLD
static int lines_met;
static int wrong;                // checks that failed on this rank
static uint32_t checkpoints;     // that are durable; a futex

__attribute__((format(printf, 4, 5)))
static inline void report(const char* file, int number, const char* what, const char* found, ...) {
  va_list arguments;
  char text[256];
  va_start(arguments, found);
  vsnprintf(text, sizeof text, found, arguments);
  va_end(arguments);
  printf("rank %d, line %d: %s:%d: %s does not hold: %s\n", me, lines_met, strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
         number, what, text);
  fflush(stdout);
  ++wrong;
}
/// CHECK(condition) or CHECK(condition, "format", what was found…). The program goes on; its exit status tells.
#define CHECK(condition, ...) \
  ((condition) ? (void)0 : report(__FILE__, __LINE__, #condition, " " __VA_ARGS__))
/// Of system calls that must succeed.
#define OK(call) CHECK((call) >= 0, "%s", strerror(errno))

static inline void on_checkpoint(enum mana_event event, const struct mana_hook_info* info, void* extra) {
  (void)event, (void)extra;
  if (!info->durable && event == MANA_RESUMED) return;
  __atomic_fetch_add(&checkpoints, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &checkpoints, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static inline void begin_at(int level, int* argc, char*** argv) {
  int provided;
  MPI_Init_thread(argc, argv, level, &provided);
  CHECK(provided >= level, "%d", provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  mana_hook_add(MANA_RESUMED, on_checkpoint, NULL);
  mana_hook_add(MANA_RESTARTED, on_checkpoint, NULL);
}
static inline void begin(int* argc, char*** argv) { begin_at(MPI_THREAD_MULTIPLE, argc, argv); }

/// What the line of this number has: a letter of FIDELITY.
static inline char what_at(int number) {
  const char* const lines = getenv("FIDELITY");
  return lines != NULL && (int)strlen(lines) > number ? lines[number] : '-';
}

/// A line at which this rank does something else (unless it is NULL) while the checkpoint is asked for and taken.
static inline void line_while(void (*meanwhile)(void)) {
  const char what = what_at(lines_met);
  const uint32_t before = __atomic_load_n(&checkpoints, __ATOMIC_SEQ_CST);
  const int wanted = what == 'g' || what == 's';
  ++lines_met;
  if (wanted) MPI_Barrier(MPI_COMM_WORLD);   // all know how many there were
  if (wanted && me == 0 && mana_checkpoint(what == 's' ? MANA_STOP : MANA_GO_ON) != 0)
    CHECK(!"there is no mana to ask");
  if (meanwhile != NULL) meanwhile();
  if (!wanted) return;
  while (__atomic_load_n(&checkpoints, __ATOMIC_SEQ_CST) == before)
    syscall(SYS_futex, &checkpoints, FUTEX_WAIT, before, NULL, NULL, 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Returns when the checkpoint that this line is to have has been taken, in this process or in a new one.
static inline void line(void) { line_while(NULL); }

/// Something that is counted has happened; also for handlers of signals.
static inline void count_one(int* number) {
  __atomic_fetch_add(number, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, number, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}
/// Waits until the number, which count_one() raises, is at least this.
static inline void await_count(int* number, int least) {
  for (int now; (now = __atomic_load_n(number, __ATOMIC_SEQ_CST)) < least;)
    syscall(SYS_futex, number, FUTEX_WAIT, now, NULL, NULL, 0);
}
/// Waits until it was raised so many times more.
static inline void await_more(int* number, int more) { await_count(number, __atomic_load_n(number, __ATOMIC_SEQ_CST) + more); }

/// Whether the number comes to this value: of what nobody announces, as it is waited for on machines that have much to do.
static inline int comes_to(int* number, int value) {
  for (int tries = 0; tries < 60000 && __atomic_load_n(number, __ATOMIC_SEQ_CST) != value; ++tries) usleep(1000);
  return __atomic_load_n(number, __ATOMIC_SEQ_CST) == value;
}

/// out: exit status
static inline int finish(void) {
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d lines met, %d wrong\n", lines_met, all), fflush(stdout);
  MPI_Finalize();
  return all != 0;
}
