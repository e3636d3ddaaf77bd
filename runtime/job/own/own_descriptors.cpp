// Replaces the libc functions that make descriptors; the lower half's libraries find these first. Their descriptors get
// high numbers.
//
// INV-31 no descriptor of the lower half stays at a low number, whenever it is made. A guard over the low numbers
// protects only the start of MPI: a thread of the network library accepts connections at any time, beside the program's
// threads.
#include <runtime/files/high_number.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

namespace {

template <class Function>
Function* libcs(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using mana::files::out_of_the_way;

int both_out_of_the_way(int result, int* pair) noexcept {
  if (result != 0) return result;
  pair[0] = out_of_the_way(pair[0]);
  pair[1] = out_of_the_way(pair[1]);
  return result;
}

/// The mode of an open. The argument exists only if the flags ask for a new file.
mode_t mode_in(int flags, va_list arguments) noexcept {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int __open_2(const char* path, int flags);

int open(const char* path, int flags, ...) {
  static auto* const real = libcs<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return out_of_the_way(real(path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  static auto* const real = libcs<int(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return out_of_the_way(real(path, flags, mode));
}

/// Libraries that were compiled with _FORTIFY_SOURCE call this for open() without a mode.
int __open_2(const char* path, int flags) {
  static auto* const real = libcs<int(const char*, int)>("__open_2");
  return out_of_the_way(real(path, flags));
}

int openat(int directory, const char* path, int flags, ...) {
  static auto* const real = libcs<int(int, const char*, int, ...)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return out_of_the_way(real(directory, path, flags, mode));
}

int openat64(int directory, const char* path, int flags, ...) {
  static auto* const real = libcs<int(int, const char*, int, ...)>("openat64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return out_of_the_way(real(directory, path, flags, mode));
}

int mkstemp(char* name) {
  static auto* const real = libcs<int(char*)>("mkstemp");
  return out_of_the_way(real(name));
}

int memfd_create(const char* name, unsigned flags) noexcept {
  static auto* const real = libcs<int(const char*, unsigned)>("memfd_create");
  return out_of_the_way(real(name, flags));
}

int shm_open(const char* name, int flags, mode_t mode) {
  static auto* const real = libcs<int(const char*, int, mode_t)>("shm_open");
  return out_of_the_way(real(name, flags, mode));
}

int socket(int domain, int type, int protocol) noexcept {
  static auto* const real = libcs<int(int, int, int)>("socket");
  return out_of_the_way(real(domain, type, protocol));
}

int accept(int listening, sockaddr* address, socklen_t* bytes) {
  static auto* const real = libcs<int(int, sockaddr*, socklen_t*)>("accept");
  return out_of_the_way(real(listening, address, bytes));
}

int accept4(int listening, sockaddr* address, socklen_t* bytes, int flags) {
  static auto* const real = libcs<int(int, sockaddr*, socklen_t*, int)>("accept4");
  return out_of_the_way(real(listening, address, bytes, flags));
}

int socketpair(int domain, int type, int protocol, int pair[2]) noexcept {
  static auto* const real = libcs<int(int, int, int, int*)>("socketpair");
  return both_out_of_the_way(real(domain, type, protocol, pair), pair);
}

int pipe(int pair[2]) noexcept {
  static auto* const real = libcs<int(int*)>("pipe");
  return both_out_of_the_way(real(pair), pair);
}

int pipe2(int pair[2], int flags) noexcept {
  static auto* const real = libcs<int(int*, int)>("pipe2");
  return both_out_of_the_way(real(pair, flags), pair);
}

int epoll_create(int size) noexcept {
  static auto* const real = libcs<int(int)>("epoll_create");
  return out_of_the_way(real(size));
}

int epoll_create1(int flags) noexcept {
  static auto* const real = libcs<int(int)>("epoll_create1");
  return out_of_the_way(real(flags));
}

int eventfd(unsigned count, int flags) noexcept {
  static auto* const real = libcs<int(unsigned, int)>("eventfd");
  return out_of_the_way(real(count, flags));
}

int timerfd_create(clockid_t clock, int flags) noexcept {
  static auto* const real = libcs<int(clockid_t, int)>("timerfd_create");
  return out_of_the_way(real(clock, flags));
}

int inotify_init1(int flags) noexcept {
  static auto* const real = libcs<int(int)>("inotify_init1");
  return out_of_the_way(real(flags));
}

/// For an existing descriptor it only changes the mask.
int signalfd(int there, const sigset_t* mask, int flags) noexcept {
  static auto* const real = libcs<int(int, const sigset_t*, int)>("signalfd");
  const int made = real(there, mask, flags);
  return there >= 0 ? made : out_of_the_way(made);
}

}  // extern "C"
#pragma GCC visibility pop
