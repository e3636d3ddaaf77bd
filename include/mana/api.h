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
   a call of theirs, and then ask again after a restart. Nobody must wait for it, unless in MPI, while others are in a
   collective to which the waiting rank has still to come: that collective has to end before.
   Before MPI_Init and after MPI_Finalize too; where not all ranks can be saved yet, as soon as they can be.
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

/* Moments of a checkpoint at which hooks are called, in this order. */
enum mana_event {
  MANA_REQUESTED = 0,    /* it was asked for; the program still runs. Of a request that finds a rank outside MPI until
                            the recovery line: together with MANA_LINE_FOUND */
  MANA_LINE_FOUND = 1,   /* all threads of all ranks stand still */
  MANA_BEFORE_WRITE = 2, /* no message is under way; the image is written next. What hooks change now is in it */
  MANA_AFTER_WRITE = 3,  /* the image was written, or given up (durable); not called after a restart */
  MANA_RESUMED = 4,      /* the program goes on in the process that it was in; not durable: no checkpoint was taken */
  MANA_RESTARTED = 5     /* it goes on in a new process */
};

struct mana_hook_info {
  int rank, size;        /* in MPI_COMM_WORLD */
  long restarts;         /* how often this run was restarted */
  int durable;           /* at MANA_AFTER_WRITE and MANA_RESUMED: the checkpoint is complete, on all ranks */
};

/* Hooks are called on the thread that called MPI_Init (before that on the initial thread; on another one if it has ended), one
   after the other, in the order in which they were added. The thread may have been interrupted anywhere: they call only what
   a signal handler may call, and no MPI. */
typedef void (*mana_hook_function)(enum mana_event event, const struct mana_hook_info* info, void* extra);

/* returns a number for mana_hook_remove; -1 without MANA, and where there are 64 hooks already. */
static inline int mana_hook_add(enum mana_event event, mana_hook_function function, void* extra) {
  typedef int (*adder)(enum mana_event, mana_hook_function, void*);
  const adder add = (adder)mana_api_function("mana_api_hook_add");
  return add == 0 ? -1 : add(event, function, extra);
}

/* returns 0; -1 without MANA and for what is no hook's number. */
static inline int mana_hook_remove(int number) {
  typedef int (*remover)(int);
  const remover remove_hook = (remover)mana_api_function("mana_api_hook_remove");
  return remove_hook == 0 ? -1 : remove_hook(number);
}

#ifdef __cplusplus
}
#endif
#endif
