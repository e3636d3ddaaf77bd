/* heat2d's input and output: the parameter file ("name = value" lines, # starts a comment) and the result file. */
#include "heat2d.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail_at(const char *what, const char *file, int line)
{
  char where[512];
  snprintf(where, sizeof where, "%.400s, line %d", file, line);
  heat2d_fail(what, where);
}

static double number(const char *text, double least, double most, const char *file, int line)
{
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= least && value <= most))
    fail_at("not a number in the allowed range", file, line);
  return value;
}

static char *trim(char *text)
{
  while (isspace((unsigned char)*text))
    text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1]))
    *--end = '\0';
  return text;
}

static void assign(struct parameters *p, const char *name, const char *value, int line)
{
  if (!strcmp(name, "rows"))
    p->rows = (int)number(value, 1, 1e5, p->file, line);
  else if (!strcmp(name, "cols"))
    p->cols = (int)number(value, 1, 1e5, p->file, line);
  else if (!strcmp(name, "steps"))
    p->steps = (int)number(value, 1, 2e9, p->file, line);
  else if (!strcmp(name, "report"))
    p->report = (int)number(value, 1, 2e9, p->file, line);
  else if (!strcmp(name, "alpha"))
    p->alpha = number(value, 0, 0.25, p->file, line);
  else if (!strcmp(name, "tolerance"))
    p->tolerance = number(value, 0, 1e9, p->file, line);
  else if (!strcmp(name, "output") && strlen(value) > 0 && strlen(value) < sizeof p->output)
    strcpy(p->output, value);
  else
    fail_at("unknown parameter, or file name too long", p->file, line);
}

static void parameters_read(struct parameters *p)
{
  char line[1024];
  FILE *in = fopen(p->file, "r");
  if (!in)
    heat2d_fail("cannot be opened; give a parameter file as the argument", p->file);
  for (int n = 1; fgets(line, sizeof line, in); n++) {
    char *comment = strchr(line, '#');
    if (comment)
      *comment = '\0';
    char *name = trim(line);
    if (*name == '\0')
      continue;
    char *equals = strchr(name, '=');
    if (!equals)
      fail_at("expected \"name = value\"", p->file, n);
    *equals = '\0';
    assign(p, trim(name), trim(equals + 1), n);
  }
  fclose(in);
}

void parameters_share(struct parameters *p, const char *file)
{
  int rank;
  memset(p, 0, sizeof *p);
  p->rows = p->cols = 256;
  p->steps = 1000;
  p->report = 100;
  p->alpha = 0.2;
  p->file = file;
  strcpy(p->output, "heat2d.out");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    parameters_read(p);
  MPI_Bcast(p, (int)sizeof *p, MPI_BYTE, 0, MPI_COMM_WORLD);
  p->file = file;
}

unsigned long long result_write(const struct parameters *p, const double *cells)
{
  size_t count = (size_t)p->rows * (size_t)p->cols;
  FILE *out = fopen(p->output, "wb");
  if (!out || fprintf(out, "heat2d %d %d\n", p->rows, p->cols) < 0 ||
      fwrite(cells, sizeof *cells, count, out) != count || fclose(out) != 0)
    heat2d_fail("the result cannot be written", p->output);
  unsigned long long hash = 0xcbf29ce484222325ull;
  const unsigned char *bytes = (const unsigned char *)cells;
  for (size_t i = 0; i < count * sizeof *cells; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}
