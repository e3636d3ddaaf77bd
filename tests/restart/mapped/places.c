// Says where it is and uses what it has there: places DATA STEPS. In the working directory: a log that it writes by its
// descriptor and reads by its name, a directory, a FIFO. In DATA, which it forgets: a file that it has mapped shared.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int me, wrong;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s\n", me, what);
}

static char* name(const char* what) {
  static char text[64];
  snprintf(text, sizeof text, "%s-%d", what, me);
  return text;
}

static char* link_of(const char* link) {
  static char path[PATH_MAX];
  const ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  return path;
}

int main(int argc, char** argv) {
  char cwd[PATH_MAX], file[PATH_MAX], link[64];
  int any = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int log = open(name("log"), O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
  mkdir(name("inside"), 0700);
  const int inside = open(name("inside"), O_RDONLY | O_DIRECTORY);
  mkfifo(name("fifo"), 0600);
  const int fifo = open(name("fifo"), O_RDWR);
  snprintf(file, sizeof file, "%s/%s", argv[1], name("shared"));
  const int data = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
  check(log >= 0 && inside >= 0 && fifo >= 0 && data >= 0 && ftruncate(data, 4096) == 0, "files cannot be made");
  volatile int* const counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, data, 0);
  memset(file, 0, sizeof file);
  memset(argv[1], 0, strlen(argv[1]));

  for (int k = 1; k <= atoi(argv[2]); ++k) {
    const struct timespec pause = {0, 20000000};
    char byte = 0;
    int read_back = 0;
    struct stat here, there;
    check(getcwd(cwd, sizeof cwd) != NULL, "there is no working directory");
    check(write(log, "x", 1) == 1, "the log cannot be written");
    check(stat(name("log"), &here) == 0 && here.st_size == k, "the log by its name is another");
    check(fstat(inside, &here) == 0 && stat(name("inside"), &there) == 0 && here.st_ino == there.st_ino,
          "the directory is another");
    check(write(fifo, "y", 1) == 1 && read(fifo, &byte, 1) == 1 && byte == 'y', "the FIFO does not pass a byte on");
    check(fstat(fifo, &here) == 0 && stat(name("fifo"), &there) == 0 && here.st_ino == there.st_ino,
          "the FIFO is another");
    *counter = *counter + 1;
    check(*counter == k, "the mapping has lost its contents");
    check(pread(data, &read_back, sizeof read_back, 0) == sizeof read_back && read_back == k,
          "the mapped file is not the one that is open");
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    snprintf(link, sizeof link, "/proc/self/fd/%d", data);
    if (me == 0) {
      printf("step %d: in %s", k, cwd);
      printf(", program %s", link_of("/proc/self/exe"));
      printf(", data %s, %d wrong\n", link_of(link), any);
      fflush(stdout);
    }
    nanosleep(&pause, NULL);
  }
  MPI_Finalize();
  return any != 0;
}
