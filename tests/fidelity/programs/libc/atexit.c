// Functions for the end, of several kinds: each runs once, the last one first.
#include "fidelity.h"

static char met[8];
static void note(char what) {
  met[strlen(met)] = what;
}
static void last(void) {
  note('a');
  if (me == 0) printf("at the end: %s\n", met), fflush(stdout);
}
static void middle(void) { note('b'); }
static void with(int status, void* what) { note(status == 0 ? *(char*)what : '?'); }
static void first(void) { note('d'); }

int main(int argc, char** argv) {
  static char c = 'c';
  atexit(last);
  begin(&argc, &argv);
  atexit(middle);
  line();
  on_exit(with, &c);
  line();
  atexit(first);
  CHECK(met[0] == 0);
  exit(finish());
}
