// pthread_create of the lower half, found by its libraries before libc's: their threads block all signals.
//
// INV-29 a signal to the process is taken by a thread of the program, or waits until one unblocks it. The kernel gives it to
// any thread that does not block it; MPI's own threads have the mask of whoever called MPI_Init, or, after a restart, none.
// A thread of the program begins with all signals blocked in any case, and takes its mask when it enters the upper half.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

namespace {

using creator = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

creator* libcs() noexcept {
  static creator* const found = reinterpret_cast<creator*>(dlsym(RTLD_NEXT, "pthread_create"));
  return found;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                                                             void* (*body)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = libcs()(made, attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}
