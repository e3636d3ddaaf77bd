/* What the parts of heat2d share: its parameters, reading them, writing the result. */
#ifndef HEAT2D_H
#define HEAT2D_H

#include <mpi.h>

struct parameters {
  int rows, cols;      /* cells */
  int steps;           /* at most */
  int report;          /* steps between two progress lines */
  double alpha;        /* conductivity * dt / dx^2; stable up to 0.25 */
  double tolerance;    /* end when no cell changes by more than this in a step; 0: never */
  char output[256];    /* result file */
  const char *file;    /* the parameter file, for messages */
};

/* Rank 0 reads `file`, every rank gets the values. Ends the job with a message if a line is wrong. */
void parameters_share(struct parameters *p, const char *file);

/* Writes one text line (rows, columns) and then the cells as native doubles in row-major order; returns the FNV-1a
 * checksum of the cells' bytes. */
unsigned long long result_write(const struct parameters *p, const double *cells);

/* Prints "heat2d: where: what" and ends the job with status 1. */
void heat2d_fail(const char *what, const char *where);

#endif
