// A program with handlers and masks of its own for the signals that mana is told to take as requests: it neither sees nor
// feels them (INV-14); a child of it does. With "ask" rank 1 also asks for a checkpoint in the middle, through
// mana/api.h; with "own" the first signal is the program's own, and its handler, older than MPI_Init, must be called as the
// kernel calls it: MPICH puts a handler over it that is not.
#include <mana/api.h>
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void on_signal(int number) { seen = number; }

static pid_t sender;

static void on_own(int number, siginfo_t* info, void* context) {
  sender = number == SIGUSR1 && context != NULL ? info->si_pid : 0;
}

// The signals of this program's handler say who sent them.
static int own_signal_arrives(void) {
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &one, &before);
  raise(SIGUSR1);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return sender == getpid();
}

static int undisturbed(void) {
  const struct timespec pause = {0, 10000000};
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  const struct timespec instant = {0, 1000000};
  return nanosleep(&pause, NULL) == 0 && poll(NULL, 0, 10) == 0 && sigtimedwait(&wanted, NULL, &instant) == -1 &&
         errno == EAGAIN;
}

// In a child the signals are the program's.
static int child_sees(int number) {
  const pid_t child = fork();
  if (child == 0) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(seen == number ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  const int ask = argc > 2 && strcmp(argv[2], "ask") == 0, own = argc > 2 && strcmp(argv[2], "own") == 0;
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGTERM, &action, NULL);
  if (own) action.sa_sigaction = on_own, action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGTERM, NULL, &before);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  MPI_Init(&argc, &argv);
  int me = 0, wrong = before.sa_handler != on_signal || (own && !own_signal_arrives());
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  unsigned hash = 1;
  for (int k = 0; k < steps; ++k) {
    int mine = me + k, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    hash = hash * 31 + (unsigned)all;
    wrong += !undisturbed();
    if (k == 3 && !own) wrong += !child_sees(SIGUSR1) || !child_sees(SIGTERM);
    if (ask && me == 1 && k == steps / 2) mana_checkpoint(MANA_STOP);
    if (me == 0) printf("step %d of %d\n", k + 1, steps), fflush(stdout);
  }
  wrong += seen != 0;
  int any = 0;
  MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) printf("checksum %08x, %d wrong\n", hash, any), fflush(stdout);
  if (me == 0 && mana_restarts() > 0) fprintf(stderr, "restarts: %ld\n", mana_restarts());
  MPI_Finalize();
  return 0;
}
