/* What a program may ask of MANA while it runs. Including this header makes no program depend on MANA: nothing is linked,
   and without MANA the calls only say so. C99 and C++. */
#ifndef MANA_API_H
#define MANA_API_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mana_then { MANA_GO_ON = 0, MANA_STOP = 1 };

/* A function of the wrapper library, 0 without MANA. */
static inline void* mana_api_function(const char* name) { return dlsym((void*)0, name); }

/* Asks for a checkpoint and returns at once: it is taken soon after, at a moment that suits all ranks, and holds the
   program as it is some time after this call. Let one rank ask, whichever: the others may be saved before they come to
   a call of theirs, and then ask again after a restart.
   MANA_STOP: the job ends once the checkpoint is durable.
   returns 0; -1 without MANA. */
static inline int mana_checkpoint(enum mana_then then) {
  typedef int (*function)(int);
  const function ask = (function)mana_api_function("mana_api_checkpoint");
  return ask == 0 ? -1 : ask((int)then);
}

/* How often this run was restarted: 0 before the first restart, -1 without MANA. */
static inline long mana_restarts(void) {
  typedef long (*function)(void);
  const function count = (function)mana_api_function("mana_api_restarts");
  return count == 0 ? -1 : count();
}

#ifdef __cplusplus
}
#endif
#endif
