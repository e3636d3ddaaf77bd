// Reads a file past the page cache into memory that this process uses for the first time, as dd reads it into a buffer:
//   read_into_memory FILE
// Prints seconds. What an eager restart is compared with where a host has to give that memory.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { block = 4 << 20, huge_page = 2 << 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  struct stat about;
  if (argc != 2) return fputs("usage: read_into_memory FILE\n", stderr), 2;
  const int fd = open(argv[1], O_RDONLY | O_DIRECT);
  if (fd < 0 || fstat(fd, &about) != 0) return perror(argv[1]), 1;
  const size_t bytes = (size_t)about.st_size;
  const double begin = now();
  char* const all = mmap(NULL, bytes + block + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return perror("memory"), 1;
  madvise(all, bytes + block + huge_page, MADV_HUGEPAGE);
  char* const memory = all + (huge_page - (size_t)all % huge_page) % huge_page;
  for (size_t at = 0; at < bytes;) {
    const ssize_t got = pread(fd, memory + at, block, (off_t)at);
    if (got <= 0) return perror(argv[1]), 1;
    at += (size_t)got;
  }
  printf("%.4f\n", now() - begin);
}
