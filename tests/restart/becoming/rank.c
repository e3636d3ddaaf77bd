// A rank that says how it was started. It asks for a checkpoint that ends the job in its middle, if STOP is set, and
// with "input" rank 0 reads a line of standard input in each step.
#include <mana/api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 10 };

static int is_under_mana(void) {
  char line[512];
  int found = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, "mana-lower-") != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static unsigned read_line(void) {
  char line[64] = "";
  return fgets(line, sizeof line, stdin) == NULL ? 0 : (unsigned)strtoul(line, NULL, 10);
}

/// Asks for a checkpoint that ends the job; natively for nothing.
static void await_restart(int rank) {
  int waits;
  if (rank == 0) mana_checkpoint(MANA_STOP);
  do {
    waits = mana_restarts() == 0;
    MPI_Allreduce(MPI_IN_PLACE, &waits, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  } while (waits);
}

int main(int argc, char** argv) {
  const char* const a = getenv("A");
  const int reads = argc > 1 && strcmp(argv[1], "input") == 0, waits = getenv("WAIT") != NULL;
  int rank;
  unsigned checksum = 0;
  if (getenv("UNBUFFERED") != NULL) setvbuf(stdin, NULL, _IONBF, 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (getenv("MUST_BE_UNDER_MANA") != NULL && !is_under_mana()) MPI_Abort(MPI_COMM_WORLD, 9);
  for (int step = 0; step < STEPS; ++step) {
    unsigned mine = (unsigned)(rank + step), sum;
    if (reads && rank == 0) mine += read_line();
    MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    checksum = checksum * 31 + sum;
    if (step == STEPS / 2 && getenv("STOP") != NULL) await_restart(rank);
    if (step == STEPS / 2 && rank == 0 && waits) {
      puts("middle");
      fflush(stdout);
    }
    if (waits) usleep(100000);
  }
  printf("rank %d: A %s, %s with %d words, preload %s, checksum %x\n", rank, a == NULL ? "none" : a, argv[0], argc,
         getenv("LD_PRELOAD") == NULL ? "none" : getenv("LD_PRELOAD"), checksum);
  MPI_Finalize();
  return 0;
}
