// Calls of libc that look at a file by its name. Only /proc's link to the running program needs another answer than the
// kernel's, which leads to the lower half. The calls are too frequent for a trap. Programs that make the system calls
// themselves see the lower half's file.
//
// A later library in the search order (a tool with such functions too) is called, as without this library.
#include <mana/lower/own_program.hpp>
#include <mana/lower/presence.hpp>

#include <dlfcn.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace mana::wrappers {
namespace {

/// A function of the next library. Looked up at its first use, even in a signal handler.
template <class F>
struct next_function {
  const char* name;
  const char* version = nullptr;
  std::atomic<void*> found{nullptr};

  F* get() noexcept {
    void* at = found.load(std::memory_order_relaxed);
    if (at == nullptr) {
      at = version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
      found.store(at, std::memory_order_relaxed);
    }
    return reinterpret_cast<F*>(at);
  }
};

/// The kernel reports these errors after it has read the path.
bool is_about_file(int error) noexcept {
  return error == EACCES || error == EROFS || error == ETXTBSY || error == ENODATA || error == ENOTSUP || error == ERANGE;
}

/// If the path is the link, repeats the call with the program's path. Otherwise returns `first`, the result of the
/// first call, or makes that call now.
template <class Call, class Result>
[[gnu::noinline]] Result of_program(Call&& call, int directory, const char* path, Result first,
                                    bool is_first = false) noexcept {
  const int error = errno;
  char program[PATH_MAX];
  const auto raw = [](long number, long a, long b, long c, long d) { return ::syscall(number, a, b, c, d); };
  const ssize_t n = lower::has_lower_half() && lower::shows_own_program(raw, directory, path)
                        ? ::readlink(lower::own_program_link, program, sizeof program - 1) : -1;
  errno = error;
  if (n < 0) return is_first ? call(directory, path) : first;
  program[n] = '\0';
  return call(AT_FDCWD, program);
}

/// call(directory, path): the original call, or the call with another path.
template <class Call>
auto look(int directory, const char* path, Call&& call) noexcept {
  const auto result = call(directory, path);
  if (result < 0 && !is_about_file(errno)) return result;
  __asm__("" : "+r"(path));      // libc declares the path as not null, but the kernel accepts null
  const std::size_t n = path == nullptr ? 0 : std::strlen(path);
  const bool may_be = n >= 3 && path[n - 1] == 'e' && path[n - 2] == 'x' && path[n - 3] == 'e';
  return may_be ? of_program(call, directory, path, result) : result;
}

constinit next_function<int(const char*, struct stat*)> next_stat{"stat"};
constinit next_function<int(const char*, struct stat64*)> next_stat64{"stat64"};
constinit next_function<int(int, const char*, struct stat*, int)> next_fstatat{"fstatat"};
constinit next_function<int(int, const char*, struct stat64*, int)> next_fstatat64{"fstatat64"};
constinit next_function<int(int, const char*, struct stat*)> next_xstat{"__xstat", "GLIBC_2.2.5"};
constinit next_function<int(int, const char*, struct stat64*)> next_xstat64{"__xstat64", "GLIBC_2.2.5"};
constinit next_function<int(int, int, const char*, struct stat*, int)> next_fxstatat{"__fxstatat", "GLIBC_2.4"};
constinit next_function<int(int, int, const char*, struct stat64*, int)> next_fxstatat64{"__fxstatat64", "GLIBC_2.4"};
constinit next_function<int(int, const char*, int, unsigned, struct statx*)> next_statx{"statx"};
constinit next_function<int(const char*, int)> next_access{"access"};
constinit next_function<int(const char*, int)> next_eaccess{"eaccess"};
constinit next_function<int(const char*, int)> next_euidaccess{"euidaccess"};
constinit next_function<int(int, const char*, int, int)> next_faccessat{"faccessat"};
constinit next_function<int(int, const char*, file_handle*, int*, int)> next_name_to_handle_at{"name_to_handle_at"};
constinit next_function<int(const char*, struct statfs*)> next_statfs{"statfs"};
constinit next_function<int(const char*, struct statfs64*)> next_statfs64{"statfs64"};
constinit next_function<int(const char*, struct statvfs*)> next_statvfs{"statvfs"};
constinit next_function<int(const char*, struct statvfs64*)> next_statvfs64{"statvfs64"};
constinit next_function<ssize_t(const char*, const char*, void*, size_t)> next_getxattr{"getxattr"};
constinit next_function<ssize_t(const char*, char*, size_t)> next_listxattr{"listxattr"};

}  // namespace
}  // namespace mana::wrappers

using namespace mana::wrappers;

#define MANA_SHOWN extern "C" [[gnu::visibility("default")]]

MANA_SHOWN int stat(const char* path, struct stat* into) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_stat.get()(p, into); });
}
MANA_SHOWN int stat64(const char* path, struct stat64* into) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_stat64.get()(p, into); });
}
MANA_SHOWN int fstatat(int at, const char* path, struct stat* into, int flags) noexcept {
  const auto call = [&](int d, const char* p) { return next_fstatat.get()(d, p, into, flags); };
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? call(at, path) : look(at, path, call);
}
MANA_SHOWN int fstatat64(int at, const char* path, struct stat64* into, int flags) noexcept {
  const auto call = [&](int d, const char* p) { return next_fstatat64.get()(d, p, into, flags); };
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? call(at, path) : look(at, path, call);
}
MANA_SHOWN int __xstat(int version, const char* path, struct stat* into) {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_xstat.get()(version, p, into); });
}
MANA_SHOWN int __xstat64(int version, const char* path, struct stat64* into) {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_xstat64.get()(version, p, into); });
}
MANA_SHOWN int __fxstatat(int version, int at, const char* path, struct stat* into, int flags) {
  const auto call = [&](int d, const char* p) { return next_fxstatat.get()(version, d, p, into, flags); };
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? call(at, path) : look(at, path, call);
}
MANA_SHOWN int __fxstatat64(int version, int at, const char* path, struct stat64* into, int flags) {
  const auto call = [&](int d, const char* p) { return next_fxstatat64.get()(version, d, p, into, flags); };
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? call(at, path) : look(at, path, call);
}
MANA_SHOWN int statx(int at, const char* path, int flags, unsigned mask, struct statx* into) noexcept {
  const auto call = [&](int d, const char* p) { return next_statx.get()(d, p, flags, mask, into); };
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? call(at, path) : look(at, path, call);
}
MANA_SHOWN int access(const char* path, int mode) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_access.get()(p, mode); });
}
MANA_SHOWN int eaccess(const char* path, int mode) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_eaccess.get()(p, mode); });
}
MANA_SHOWN int euidaccess(const char* path, int mode) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_euidaccess.get()(p, mode); });
}
MANA_SHOWN int faccessat(int at, const char* path, int mode, int flags) noexcept {
  const auto call = [&](int d, const char* p) { return next_faccessat.get()(d, p, mode, flags); };
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? call(at, path) : look(at, path, call);
}
/// The first answer would change the handle's size, so the path is checked beforehand.
MANA_SHOWN int name_to_handle_at(int at, const char* path, file_handle* into, int* mount, int flags) noexcept {
  const auto call = [&](int d, const char* p) { return next_name_to_handle_at.get()(d, p, into, mount, flags); };
  const bool is_there = (flags & AT_SYMLINK_FOLLOW) != 0 && next_faccessat.get()(at, path, F_OK, 0) == 0;
  return is_there ? of_program(call, at, path, 0, true) : call(at, path);
}
MANA_SHOWN int statfs(const char* path, struct statfs* into) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_statfs.get()(p, into); });
}
MANA_SHOWN int statvfs(const char* path, struct statvfs* into) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_statvfs.get()(p, into); });
}
MANA_SHOWN int statfs64(const char* path, struct statfs64* into) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_statfs64.get()(p, into); });
}
MANA_SHOWN int statvfs64(const char* path, struct statvfs64* into) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_statvfs64.get()(p, into); });
}
MANA_SHOWN ssize_t getxattr(const char* path, const char* name, void* into, size_t bytes) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_getxattr.get()(p, name, into, bytes); });
}
MANA_SHOWN ssize_t listxattr(const char* path, char* into, size_t bytes) noexcept {
  return look(AT_FDCWD, path, [&](int, const char* p) { return next_listxattr.get()(p, into, bytes); });
}
