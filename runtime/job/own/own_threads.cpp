// Replaces the libc functions that make threads; the lower half's libraries find these first. Their threads block all
// signals.
//
// INV-29 a signal to the process is taken by a thread of the program, or waits until one unblocks it. The kernel
// delivers such a signal to any thread that does not block it. MPI's threads would inherit the mask of the thread that
// called MPI_Init, or, after a restart, an empty one. A thread of the program always begins with all signals blocked,
// and takes its mask when it enters the upper half.
#include <runtime/split/window/raw.hpp>

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

/// Blocks signals with all_signals_blocked, not with libc's functions: these never block libc's own signals, and
/// unblock them if they were blocked. A program's thread may wait for such a signal with it blocked (libc's timers,
/// signal 32); unblocked, the signal would end the trap in which the thread makes another. And a new thread of the
/// program could be cancelled before it is in the upper half. Libc lets cancellation through to the new thread anyway;
/// a thread of the program blocks it before its id is known (twin.cpp).
template <class Creator, class... Arguments>
int create_quietly(const char* name, Arguments... arguments) noexcept {
  Creator* const libcs = reinterpret_cast<Creator*>(dlsym(RTLD_NEXT, name));
  const mana::split::all_signals_blocked hold;
  return libcs(arguments...);
}

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                                                             void* (*body)(void*), void* argument) {
  return create_quietly<decltype(pthread_create)>("pthread_create", made, attributes, body, argument);
}

extern "C" [[gnu::visibility("default")]] int thrd_create(thrd_t* made, thrd_start_t body, void* argument) {
  return create_quietly<decltype(thrd_create)>("thrd_create", made, body, argument);
}
