/* What the loader's test programs share: checks, and what is only true in the window. C and C++. */
#ifndef MANA_LOADER_CHECK_H
#define MANA_LOADER_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

static inline void check_failed(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  fflush(NULL);
  _Exit(99);
}

static inline int in_window_run(void) {
  const char* const where = getenv("MANA_LOADER_TEST");
  return where != NULL && strcmp(where, "split") == 0;
}

/* An address of the program's, where such must lie. */
__attribute__((noinline, unused))
static void check_place(const void* address) {
  const uintptr_t at = (uintptr_t)address;
  if (in_window_run()) CHECK((at >= 0x200000000000 && at < 0x500000000000) || at < 0x100000000);
}

#endif
