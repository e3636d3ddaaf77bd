// Waits of 0.8 s each, in every way that the system has for a relative time. None ends before its time or by EINTR; one
// that a signal of the program ends leaves the time that was left. Rank 0 prints a line after each.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 800 };
static const struct timespec whole = {0, WAIT_MS * 1000000L};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_usleep(void) { return usleep(WAIT_MS * 1000) == 0; }
static int by_nanosleep(void) { return nanosleep(&whole, NULL) == 0; }
static int by_nanosleep_with_rest(void) {
  struct timespec rest;
  return nanosleep(&whole, &rest) == 0;
}
static int by_nanosleep_in_place(void) {
  struct timespec rest = whole;
  return nanosleep(&rest, &rest) == 0;
}
static int by_clock_nanosleep(void) {
  struct timespec rest;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &whole, &rest) == 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &whole, NULL) == 0;
}
static int by_poll(void) {
  int fds[2];
  if (pipe(fds) != 0) return 0;
  struct pollfd read_end = {fds[0], POLLIN, 0};
  const int none = poll(&read_end, 1, WAIT_MS);
  close(fds[0]), close(fds[1]);
  return none == 0 && read_end.revents == 0;
}
static int by_ppoll(void) { return ppoll(NULL, 0, &whole, NULL) == 0; }
static int by_select(void) {
  struct timeval time = {0, WAIT_MS * 1000};
  return select(0, NULL, NULL, NULL, &time) == 0;
}

static void on_alarm(int number) { (void)number; }
static void* wake(void* waiting) {
  usleep(WAIT_MS * 1000);
  pthread_kill(*(const pthread_t*)waiting, SIGALRM);
  return NULL;
}
// Ended by the program itself, 0.8 s or a little later after it began.
static int by_signal(void) {
  const struct timespec longer = {60, 0};
  struct timespec rest = {0, 0};
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  pthread_t self = pthread_self(), other;
  pthread_create(&other, NULL, wake, &self);
  const int result = nanosleep(&longer, &rest), error = errno;
  pthread_join(other, NULL);
  return result == -1 && error == EINTR && rest.tv_sec > 30 && rest.tv_sec < 60;
}

int main(int argc, char** argv) {
  static const struct { const char* name; int (*wait)(void); } ways[] = {
    {"usleep", by_usleep}, {"nanosleep", by_nanosleep}, {"nanosleep with rest", by_nanosleep_with_rest},
    {"nanosleep in place", by_nanosleep_in_place}, {"clock_nanosleep", by_clock_nanosleep}, {"poll", by_poll},
    {"ppoll", by_ppoll}, {"select", by_select}, {"signal", by_signal}};
  int me;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    const double begin = now();
    int good = ways[i].wait() && now() - begin >= WAIT_MS - 1, all;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (me == 0) printf("%s: %s\n", ways[i].name, all ? "as natively" : "wrong"), fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
