// Waits at one place of its life until the file $HOLD exists; $HOLD.RANK says that a rank is there: stages PLACE.
// before: all before MPI_Init. one_before: rank 1 there, the others in MPI_Init. after: after MPI_Finalize. thread: another thread, after
// the initial one has ended. exec: rank 1 becomes another program, the others compute. exec_before: the same before MPI_Init.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* place;
static int is(const char* name) { return strcmp(place, name) == 0; }

static int rank_of_launcher(void) {
  const char* const text = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
  return text ? atoi(text) : 0;
}

static void come(int rank) {
  char mine[4096];
  snprintf(mine, sizeof mine, "%s.%d", getenv("HOLD"), rank);
  mknod(mine, S_IFREG | 0600, 0);      // never open: the driver may ask for a checkpoint as soon as it sees the file
}

static void hold(int rank) {
  come(rank);
  while (access(getenv("HOLD"), F_OK) != 0) usleep(10000);
}

static void use_mpi(int level) {
  int rank, size, sum = 0, main_thread, initialized, finalized;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Is_thread_main(&main_thread);
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  printf("rank %d of %d: sum %d, level %d, main thread %d, initialized %d, finalized %d\n", rank, size, sum, level, main_thread,
         initialized, finalized);
  fflush(stdout);
}

static void end_mpi(void) {
  int rank, finalized;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (is("after")) hold(rank);
  MPI_Finalized(&finalized);
  printf("rank %d: finalized %d\n", rank, finalized);
  fflush(stdout);
}

static void* go_on(void* level) {
  usleep(200000);        // the initial thread has ended
  hold(rank_of_launcher());
  use_mpi(*(int*)level);
  end_mpi();
  exit(0);
}

int main(int argc, char** argv) {
  static int level;
  pthread_t thread;
  place = argc > 1 ? argv[1] : "before";
  const int rank = rank_of_launcher();
  if (is("before") || (is("one_before") && rank == 1)) hold(rank);
  if (is("exec_before")) come(rank);
  if (is("exec_before") && rank == 1) execl("/bin/sleep", "sleep", "600", (char*)0);
  if (is("exec_before")) hold(rank);
  if (is("one_before")) come(rank);
  MPI_Init_thread(&argc, &argv, is("thread") ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  if (is("thread")) {
    pthread_create(&thread, NULL, go_on, &level);
    pthread_exit(NULL);
  }
  use_mpi(level);
  if (is("exec")) come(rank);
  if (is("exec") && rank == 1) execl("/bin/sleep", "sleep", "600", (char*)0);
  if (is("exec")) hold(rank);
  end_mpi();
  return 0;
}
