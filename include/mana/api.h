/* The calls of a running program to MANA. A program that includes this header does not depend on MANA: it links
   nothing, and without MANA the calls return -1. C99 and C++. */
#ifndef MANA_API_H
#define MANA_API_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mana_then { MANA_GO_ON = 0, MANA_STOP = 1 };

/* A function of the wrapper library; 0 without MANA. */
static inline void* mana_api_function(const char* name) { return dlsym((void*)0, name); }

/* Asks for a checkpoint and returns at once. The checkpoint is taken soon after, at a moment that suits all ranks. It
   has the program's state at that moment, not at this call.
   Only one rank should ask, no matter which: others may be saved before their own call, and would ask again after a
   restart. Do not wait for the checkpoint outside of MPI while others are in a collective that the waiting rank has not
   started: that collective must end first.
   It may be called before MPI_Init and after MPI_Finalize. If some ranks cannot be saved yet, the checkpoint waits for
   them.
   MANA_STOP: the job ends once the checkpoint is durable.
   returns 0; -1 without MANA. */
static inline int mana_checkpoint(enum mana_then then) {
  typedef int (*function)(int);
  const function ask = (function)mana_api_function("mana_api_checkpoint");
  return ask == 0 ? -1 : ask((int)then);
}

/* The number of restarts of this run: 0 before the first one; -1 without MANA. */
static inline long mana_restarts(void) {
  typedef long (*function)(void);
  const function count = (function)mana_api_function("mana_api_restarts");
  return count == 0 ? -1 : count();
}

/* Moments of a checkpoint at which hooks are called, in this order. */
enum mana_event {
  MANA_REQUESTED = 0,    /* a checkpoint was requested; the program still runs. If the rank is outside MPI until the
                            recovery line, this comes together with MANA_LINE_FOUND */
  MANA_LINE_FOUND = 1,   /* all threads of all ranks stand still */
  MANA_BEFORE_WRITE = 2, /* no message is under way; the image is written next, and has changes that hooks make now */
  MANA_AFTER_WRITE = 3,  /* the image was written, or given up: see `durable`; not called after a restart */
  MANA_RESUMED = 4,      /* the program continues in its process; not durable: no checkpoint was taken */
  MANA_RESTARTED = 5     /* the program continues in a new process */
};

struct mana_hook_info {
  int rank, size;        /* in MPI_COMM_WORLD */
  long restarts;         /* as mana_restarts() */
  int durable;           /* at MANA_AFTER_WRITE and MANA_RESUMED: the checkpoint is complete, on all ranks */
};

/* MANA calls hooks one after the other, in the order in which they were added. They run on the thread that called
   MPI_Init: before MPI_Init on the initial thread, and on another thread if that one has ended. The thread may have
   been interrupted anywhere, so a hook must call only functions that a signal handler may call, and no MPI. */
typedef void (*mana_hook_function)(enum mana_event event, const struct mana_hook_info* info, void* extra);

/* returns a number for mana_hook_remove; -1 without MANA, and if 64 hooks exist already. */
static inline int mana_hook_add(enum mana_event event, mana_hook_function function, void* extra) {
  typedef int (*adder)(enum mana_event, mana_hook_function, void*);
  const adder add = (adder)mana_api_function("mana_api_hook_add");
  return add == 0 ? -1 : add(event, function, extra);
}

/* returns 0; -1 without MANA, and if the number is no hook's. */
static inline int mana_hook_remove(int number) {
  typedef int (*remover)(int);
  const remover remove_hook = (remover)mana_api_function("mana_api_hook_remove");
  return remove_hook == 0 ? -1 : remove_hook(number);
}

#ifdef __cplusplus
}
#endif
#endif
