/* Heat spreading over a plate: explicit 2-D heat equation on a grid that is divided among the ranks in blocks.
 *
 * Shows what a typical stencil program asks of MPI: a cartesian communicator, halo exchange with
 * MPI_Isend/MPI_Irecv/MPI_Waitall, a derived datatype for columns, an MPI_Allreduce in every step, and a communicator
 * per row of blocks. The result is the same in every bit for any MPI and any number of ranks: the only
 * floating-point reduction is a maximum; sums are of integers.
 *
 *     mpicc -O2 -o heat2d heat2d.c heat2d_files.c && mpirun -n 4 ./heat2d heat2d.par
 */
#include "heat2d.h"

#include <stdio.h>
#include <stdlib.h>

/* This rank's block. Cells [1..rows][1..cols] are its own; row 0, row rows+1, column 0, column cols+1 are the halo. */
struct block {
  int rows, cols;            /* own cells */
  int first_row, first_col;  /* of the own cells, in the whole grid */
  int up, down, left, right; /* neighbours' ranks, or MPI_PROC_NULL */
  int coords[2], dims[2];
  MPI_Comm grid, row;        /* all ranks; the ranks beside this one */
  MPI_Datatype column;       /* rows doubles, one line apart */
  double *now, *next;
};

#define AT(b, field, r, c) ((b)->field[(size_t)(r) * (size_t)((b)->cols + 2) + (size_t)(c)])

void heat2d_fail(const char *what, const char *where)
{
  fprintf(stderr, "heat2d: %s: %s\n", where, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* Cells that part `index` of `parts` gets of `total`, and the first of them. */
static int share(int total, int parts, int index, int *first)
{
  int base = total / parts, more = total % parts;
  *first = index * base + (index < more ? index : more);
  return base + (index < more ? 1 : 0);
}

static void block_make(struct block *b, const struct parameters *p)
{
  int size, rank, periods[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  b->dims[0] = b->dims[1] = 0;
  MPI_Dims_create(size, 2, b->dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, b->dims, periods, 0, &b->grid);
  MPI_Comm_rank(b->grid, &rank);
  MPI_Cart_coords(b->grid, rank, 2, b->coords);
  MPI_Cart_shift(b->grid, 0, 1, &b->up, &b->down);
  MPI_Cart_shift(b->grid, 1, 1, &b->left, &b->right);
  MPI_Comm_split(b->grid, b->coords[0], b->coords[1], &b->row);

  b->rows = share(p->rows, b->dims[0], b->coords[0], &b->first_row);
  b->cols = share(p->cols, b->dims[1], b->coords[1], &b->first_col);
  if (b->rows < 1 || b->cols < 1)
    heat2d_fail("the grid has fewer rows or columns than there are ranks; use a larger grid", p->file);
  MPI_Type_vector(b->rows, 1, b->cols + 2, MPI_DOUBLE, &b->column);
  MPI_Type_commit(&b->column);

  size_t cells = (size_t)(b->rows + 2) * (size_t)(b->cols + 2);
  b->now = calloc(cells, sizeof(double));
  b->next = calloc(cells, sizeof(double));
  if (!b->now || !b->next)
    heat2d_fail("not enough memory for the grid", p->file);
}

static void block_free(struct block *b)
{
  free(b->now);
  free(b->next);
  MPI_Type_free(&b->column);
  MPI_Comm_free(&b->row);
  MPI_Comm_free(&b->grid);
}

/* A hot spot in the upper left quarter, a cold one in the lower right, on a plate whose border is kept at 0. */
static void start_values(struct block *b, const struct parameters *p)
{
  for (int r = 1; r <= b->rows; r++)
    for (int c = 1; c <= b->cols; c++) {
      int y = b->first_row + r - 1, x = b->first_col + c - 1;
      int hot = y >= p->rows / 8 && y < p->rows / 3 && x >= p->cols / 8 && x < p->cols / 3;
      int cold = y >= p->rows * 2 / 3 && y < p->rows * 7 / 8 && x >= p->cols / 2 && x < p->cols * 7 / 8;
      AT(b, now, r, c) = hot ? 100.0 : cold ? -40.0 : 0.0;
    }
}

static void exchange_halo(struct block *b)
{
  MPI_Request request[8];
  MPI_Status status[8];
  MPI_Irecv(&AT(b, now, 0, 1), b->cols, MPI_DOUBLE, b->up, 0, b->grid, &request[0]);
  MPI_Irecv(&AT(b, now, b->rows + 1, 1), b->cols, MPI_DOUBLE, b->down, 1, b->grid, &request[1]);
  MPI_Irecv(&AT(b, now, 1, 0), 1, b->column, b->left, 2, b->grid, &request[2]);
  MPI_Irecv(&AT(b, now, 1, b->cols + 1), 1, b->column, b->right, 3, b->grid, &request[3]);
  MPI_Isend(&AT(b, now, b->rows, 1), b->cols, MPI_DOUBLE, b->down, 0, b->grid, &request[4]);
  MPI_Isend(&AT(b, now, 1, 1), b->cols, MPI_DOUBLE, b->up, 1, b->grid, &request[5]);
  MPI_Isend(&AT(b, now, 1, b->cols), 1, b->column, b->right, 2, b->grid, &request[6]);
  MPI_Isend(&AT(b, now, 1, 1), 1, b->column, b->left, 3, b->grid, &request[7]);
  MPI_Waitall(8, request, status);
}

/* One step in time; returns the largest change of a cell of this rank. */
static double advance(struct block *b, double alpha)
{
  double largest = 0.0;
  for (int r = 1; r <= b->rows; r++)
    for (int c = 1; c <= b->cols; c++) {
      double old = AT(b, now, r, c);
      double change = alpha * (AT(b, now, r - 1, c) + AT(b, now, r + 1, c) + AT(b, now, r, c - 1) +
                               AT(b, now, r, c + 1) - 4.0 * old);
      AT(b, next, r, c) = old + change;
      double size = change < 0.0 ? -change : change;
      if (size > largest)
        largest = size;
    }
  double *swap = b->now;
  b->now = b->next;
  b->next = swap;
  return largest;
}

/* Heat of the row of blocks that this rank is in, in millionths, as a sum of integers. */
static long long heat_of_row(struct block *b)
{
  long long own = 0, row = 0;
  for (int r = 1; r <= b->rows; r++)
    for (int c = 1; c <= b->cols; c++)
      own += (long long)(AT(b, now, r, c) * 1e6);
  MPI_Allreduce(&own, &row, 1, MPI_LONG_LONG, MPI_SUM, b->row);
  return row;
}

static void report(struct block *b, const struct parameters *p, int step, double change)
{
  long long row = heat_of_row(b), mine = b->coords[1] == 0 ? row : 0, total = 0;
  int rank;
  MPI_Comm_rank(b->grid, &rank);
  MPI_Reduce(&mine, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, b->grid);
  if (rank == 0) {
    printf("step %d of %d  change %.6e  heat %.3f\n", step, p->steps, change, (double)total * 1e-6);
    fflush(stdout);
  }
}

static void solve(struct block *b, const struct parameters *p)
{
  for (int step = 1; step <= p->steps; step++) {
    exchange_halo(b);
    double own = advance(b, p->alpha), largest = 0.0;
    MPI_Allreduce(&own, &largest, 1, MPI_DOUBLE, MPI_MAX, b->grid);
    if (step % p->report == 0 || step == p->steps)
      report(b, p, step, largest);
    if (largest < p->tolerance) {
      report(b, p, step, largest);
      break;
    }
  }
}

/* The whole grid, in row-major order, at rank 0 (NULL elsewhere): blocks are gathered along each row of blocks, and the
 * first rank of each row sends its rows to rank 0. */
static double *gather(struct block *b, const struct parameters *p)
{
  int rank, width = b->dims[1], height = b->dims[0];
  MPI_Comm_rank(b->grid, &rank);
  int *counts = calloc((size_t)width, sizeof(int)), *starts = calloc((size_t)width, sizeof(int));
  double *strip = calloc((size_t)b->rows * (size_t)p->cols, sizeof(double));
  double *whole = rank == 0 ? calloc((size_t)p->rows * (size_t)p->cols, sizeof(double)) : NULL;
  if (!counts || !starts || !strip || (rank == 0 && !whole))
    heat2d_fail("not enough memory for the result", p->output);
  for (int i = 0; i < width; i++)
    counts[i] = share(p->cols, width, i, &starts[i]);
  for (int r = 0; r < b->rows; r++)
    MPI_Gatherv(&AT(b, now, r + 1, 1), b->cols, MPI_DOUBLE, strip + (size_t)r * (size_t)p->cols, counts, starts,
                MPI_DOUBLE, 0, b->row);
  if (b->coords[1] == 0 && rank != 0)
    MPI_Send(strip, b->rows * p->cols, MPI_DOUBLE, 0, 4, b->grid);
  for (int i = 0; rank == 0 && i < height; i++) {
    int first, from, rows = share(p->rows, height, i, &first), at[2] = {i, 0};
    double *place = whole + (size_t)first * (size_t)p->cols;
    MPI_Cart_rank(b->grid, at, &from);
    if (from == 0)
      for (size_t k = 0; k < (size_t)rows * (size_t)p->cols; k++)
        place[k] = strip[k];
    else
      MPI_Recv(place, rows * p->cols, MPI_DOUBLE, from, 4, b->grid, MPI_STATUS_IGNORE);
  }
  free(counts);
  free(starts);
  free(strip);
  return whole;
}

int main(int argc, char **argv)
{
  struct parameters p;
  struct block b;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2)
    heat2d_fail("usage: heat2d [PARAMETER FILE]", "command line");
  parameters_share(&p, argc > 1 ? argv[1] : "heat2d.par");
  block_make(&b, &p);
  if (rank == 0)
    printf("heat2d: %d x %d cells, %d steps, %d x %d ranks\n", p.rows, p.cols, p.steps, b.dims[0], b.dims[1]);
  start_values(&b, &p);
  solve(&b, &p);
  double *whole = gather(&b, &p);
  if (whole) {
    unsigned long long checksum = result_write(&p, whole);
    printf("result %s  checksum %016llx\n", p.output, checksum);
    fflush(stdout);
  }
  free(whole);
  block_free(&b);
  MPI_Finalize();
  return 0;
}
