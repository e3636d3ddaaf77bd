// A program that leaves a trace as soon as it runs, before MPI does, and then waits for a file.
// usage: claimed NAME [child]   makes begun.NAME.RANK; waits until the file `go` exists; with `child`, rank 0 has a forked process
// that lives until then, whatever becomes of its parent.
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void await_file(void) {
  while (access("go", F_OK) != 0) usleep(5000);
}

static const char* rank_of_launcher(void) {
  const char* const mpich = getenv("PMI_RANK");
  const char* const openmpi = getenv("OMPI_COMM_WORLD_RANK");
  return mpich != NULL ? mpich : openmpi != NULL ? openmpi : "none";
}

int main(int argc, char** argv) {
  char trace[256];
  const char* const name = argc > 1 ? argv[1] : "one";
  snprintf(trace, sizeof trace, "begun.%s.%s", name, rank_of_launcher());
  close(open(trace, O_CREAT | O_WRONLY, 0600));
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && argc > 2 && strcmp(argv[2], "child") == 0 && fork() == 0) {
    close(0);
    close(1);
    close(2);
    await_file();
    _exit(0);
  }
  await_file();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("FINAL job %s\n", name);
  MPI_Finalize();
  return 0;
}
