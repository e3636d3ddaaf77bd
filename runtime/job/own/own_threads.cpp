// Calls of the lower half that make threads, found by its libraries before libc's: their threads block all signals.
//
// INV-29 a signal to the process is taken by a thread of the program, or waits until one unblocks it. The kernel gives it to
// any thread that does not block it; MPI's own threads have the mask of whoever called MPI_Init, or, after a restart, none.
// A thread of the program begins with all signals blocked in any case, and takes its mask when it enters the upper half.
#include <runtime/split/window/raw.hpp>

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

/// By all_signals_blocked, not by libc's calls, which never block libc's own signals, and unblock them where they were. A trap
/// that makes a thread would end there for a thread of the program that waits for them blocked (its libc's timers, signal
/// 32); and a new thread of the program could be cancelled before it is in the upper half. Libc lets cancellation through
/// to the new thread even so; one of the program's blocks it before its id is known (twin.cpp).
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
