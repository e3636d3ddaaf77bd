/* Global arrays over ARMCI-MPI: puts, gets, accumulates, a counter that hands out tasks, mutexes, and a product of matrices.
   All numbers are whole, so the order of sums does not matter. Argument: number of steps. */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 48, BLOCK = 8, BLOCKS = N / BLOCK };

/* Adds whole numbers to a block, in the middle of which other ranks add to theirs. */
static void add_to_block(int array, int task, int step) {
  double block[BLOCK * BLOCK], one = 1.0;
  int low[2] = {task / BLOCKS * BLOCK, task % BLOCKS * BLOCK};
  int high[2] = {low[0] + BLOCK - 1, low[1] + BLOCK - 1}, width = BLOCK;
  for (int k = 0; k < BLOCK * BLOCK; ++k) block[k] = (k * 7 + task + step) % 11;
  NGA_Acc(array, low, high, block, &width, &one);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 1000000, 1000000);
  const int me = GA_Nodeid(), steps = argc > 1 ? atoi(argv[1]) : 10;
  int shape[2] = {N, N}, one = 1, zero = 0;
  int a = NGA_Create(C_DBL, 2, shape, "a", NULL), b = GA_Duplicate(a, "b"), c = GA_Duplicate(a, "c");
  int tasks = NGA_Create(C_INT, 1, &one, "tasks", NULL), shared = NGA_Create(C_INT, 1, &one, "shared", NULL);
  GA_Create_mutexes(1);
  GA_Zero(a);
  GA_Zero(shared);
  for (int step = 0; step < steps; ++step) {
    GA_Zero(tasks);
    for (long task; (task = NGA_Read_inc(tasks, &zero, 1)) < BLOCKS * BLOCKS;) add_to_block(a, (int)task, step);
    GA_Sync();
    GA_Lock(0);
    int count, width = 1;
    NGA_Get(shared, &zero, &zero, &count, &width);
    count += me + 1;
    NGA_Put(shared, &zero, &zero, &count, &width);
    GA_Init_fence();
    GA_Fence();
    GA_Unlock(0);
    GA_Transpose(a, b);
    GA_Dgemm('n', 'n', N, N, N, 1.0, a, b, 0.0, c);
    int passing = GA_Duplicate(c, "passing");                 /* windows are made and freed in every step */
    GA_Copy(c, passing);
    const double product = GA_Ddot(passing, a);
    GA_Destroy(passing);
    const double greatest = GA_Ddot(a, a);
    if (greatest > 1e6) GA_Zero(a);
    GA_Sync();
    NGA_Get(shared, &zero, &zero, &count, &width);
    GA_Sync();
    if (me == 0) {
      printf("step %d of %d: %.0f %.0f %d\n", step + 1, steps, product, greatest, count);
      fflush(stdout);
    }
  }
  GA_Destroy_mutexes();
  GA_Terminate();
  MPI_Finalize();
}
