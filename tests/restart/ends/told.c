// A program that is told to end by a signal: told WAY MIB. WAY: what it does with it.
//   default  nothing, nor does a library (UCX takes SIGHUP): the kernel ends it
//   leave    a handler says so and leaves
//   flag     a handler leaves a note, and all ranks end together
//   wait     a thread takes it by sigwait, then as flag
// Its memory is MIB of numbers that do not pack. The signals: HUP, INT, QUIT, TERM.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { signal_count = sizeof signals / sizeof *signals };
static volatile sig_atomic_t told;

static void leave(int signal) {
  char text[] = "FINAL left by 00\n";
  text[14] = (char)('0' + signal / 10), text[15] = (char)('0' + signal % 10);
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(8);
  _exit(9);
}
static void note(int signal) { told = signal; }
static void* take(void* set) {
  int signal = 0;
  sigwait(set, &signal);
  told = signal;
  return NULL;
}

int main(int argc, char** argv) {
  const char* const way = argv[1];
  sigset_t set;
  pthread_t taker;
  sigemptyset(&set);
  for (int i = 0; i < signal_count; ++i) sigaddset(&set, signals[i]);
  if (strcmp(way, "wait") == 0) {
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&taker, NULL, take, &set);
  }
  int rank = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < signal_count; ++i) {
    if (strcmp(way, "default") == 0) signal(signals[i], SIG_DFL);
    if (strcmp(way, "leave") == 0) signal(signals[i], leave);
    if (strcmp(way, "flag") == 0) signal(signals[i], note);
  }
  const size_t n = (size_t)atol(argv[2]) << 18;
  unsigned* const memory = malloc(n * sizeof *memory);
  unsigned x = 1u + (unsigned)rank;
  for (size_t i = 0; i < n; ++i) memory[i] = x = x * 1664525u + 1013904223u;
  for (long step = 0; !all; ++step) {
    const int own = told;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && step == 0) {
      printf("ready\n");
      fflush(stdout);
    }
    usleep(2000);
  }
  printf("FINAL told %d\n", all);
  fflush(stdout);
  MPI_Finalize();
  return 3;
}
