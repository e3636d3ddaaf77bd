// A library to be preloaded: makes one system call on a directory of checkpoints fail, the N-th of its name in all processes of
// a test together, or only counts them.
//
//   MANA_FAIL_UNDER=DIR     calls on this directory and what is in it count
//   MANA_FAIL_COUNTS=FILE   of one page, shared by the processes: a counter for each name
//   MANA_FAIL=CALL:N:HOW    HOW: an errno, or "short": half of the bytes are read or written; "page": the page says it, from byte
//                           1024 on, as three numbers: the place of CALL in the list below, N, and HOW, -2 for short
//   MANA_FAIL_RANK=R        only calls of this rank of a job count
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

enum call { do_openat, do_mkdirat, do_fstatat, do_fstat, do_fchmod, do_read, do_pread, do_write, do_pwrite, do_fsync, do_renameat,
            do_unlinkat, do_fallocate, do_ftruncate, do_io_submit, do_io_getevents, do_lstat, do_fchmodat, do_fcntl, do_readdir,
            do_preadv2, do_close, do_open, calls };
constexpr const char* names[calls] = {"openat", "mkdirat", "fstatat", "fstat", "fchmod", "read", "pread", "write", "pwrite", "fsync",
                                      "renameat", "unlinkat", "fallocate", "ftruncate", "io_submit", "io_getevents", "lstat",
                                      "fchmodat", "fcntl", "readdir", "preadv2", "close", "open"};

constexpr int cut_short = -2;

struct plan {
  std::string under;
  std::atomic<std::uint64_t>* counts = nullptr;
  int which = -1;
  std::uint64_t when = 0;
  int how = 0;
  bool in_page = false;
  bool other_rank = false;
};

std::string text_in(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// As the kernel's own call: the library's is replaced.
int open_here(const std::string& path) { return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDWR | O_CLOEXEC)); }

bool is_other_rank() {
  const std::string rank = text_in("MANA_FAIL_RANK");
  return !rank.empty() && rank != text_in("PMI_RANK") && rank != text_in("OMPI_COMM_WORLD_RANK");
}

plan read_plan() {
  plan p;
  p.other_rank = is_other_rank();
  p.under = text_in("MANA_FAIL_UNDER");
  const int fd = open_here(text_in("MANA_FAIL_COUNTS"));
  void* const at = fd < 0 ? MAP_FAILED : mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) p.counts = static_cast<std::atomic<std::uint64_t>*>(at);
  const std::string text = text_in("MANA_FAIL");
  p.in_page = text == "page";
  const std::size_t first = text.find(':'), second = text.rfind(':');
  if (first == std::string::npos) return p;
  for (int c = 0; c < calls; ++c)
    if (text.substr(0, first) == names[c]) p.which = c;
  p.when = std::strtoull(text.c_str() + first + 1, nullptr, 10);
  const std::string how = text.substr(second + 1);
  p.how = how == "short" ? cut_short : std::atoi(how.c_str());
  return p;
}

const plan& the_plan() {
  static const plan p = read_plan();
  return p;
}

bool is_under(std::string_view path) {
  const std::string& under = the_plan().under;
  return path.starts_with(under) && (path.size() == under.size() || path[under.size()] == '/');
}

bool counts(int fd) {
  char link[64], path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path);
  return n > 0 && is_under({path, static_cast<std::size_t>(n)});
}
bool counts(int directory, const char* name) { return name[0] == '/' ? is_under(name) : counts(directory); }

/// 0: the call is made as it is; cut_short; or the errno with which it fails.
int fate(call c, bool ours) {
  const plan& p = the_plan();
  if (!ours || p.counts == nullptr || p.other_rank) return 0;
  const std::uint64_t n = ++p.counts[c];
  if (p.in_page) {
    const auto* const said = p.counts + 128;
    return said[0] == static_cast<std::uint64_t>(c) && said[1] == n ? static_cast<int>(said[2]) : 0;
  }
  return p.which == c && n == p.when ? p.how : 0;
}

template <class F>
F* real(const char* name) { return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name)); }

/// Fails, or runs go(): the real call.
template <class Go>
auto unless(int error, Go&& go) -> decltype(go()) {
  if (error <= 0) return go();
  errno = error;
  return -1;
}

std::size_t cut(int how, std::size_t n) { return how == cut_short ? n / 2 : n; }

long submit(long context, long n, iocb** list) {
  static const auto call = real<long(long, ...)>("syscall");
  return unless(fate(do_io_submit, counts(static_cast<int>(list[0]->aio_fildes))), [&] { return call(SYS_io_submit, context, n, list); });
}

/// What was transferred is there, and its result says otherwise.
long get_events(long context, long least, long most, io_event* events, void* limit) {
  static const auto call = real<long(long, ...)>("syscall");
  const long n = call(SYS_io_getevents, context, least, most, events, limit);
  const int how = fate(do_io_getevents, n > 0);
  if (how > 0) events[0].res = -how;
  if (how == cut_short) events[0].res /= 2;
  return n;
}

}  // namespace

extern "C" {

int openat(int directory, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  static const auto call = real<int(int, const char*, int, ...)>("openat");
  return unless(fate(do_openat, counts(directory, name)), [&] { return call(directory, name, flags, mode); });
}
/// One that is open is opened again by its number.
int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  static const auto call = real<int(const char*, int, ...)>("open");
  int fd = -1;
  const bool ours = std::sscanf(name, "/proc/self/fd/%d", &fd) == 1 ? counts(fd) : is_under(name);
  return unless(fate(do_open, ours), [&] { return call(name, flags, mode); });
}
int mkdirat(int directory, const char* name, mode_t mode) {
  static const auto call = real<int(int, const char*, mode_t)>("mkdirat");
  return unless(fate(do_mkdirat, counts(directory, name)), [&] { return call(directory, name, mode); });
}
int fstatat(int directory, const char* name, struct stat* about, int flags) {
  static const auto call = real<int(int, const char*, struct stat*, int)>("fstatat");
  return unless(fate(do_fstatat, counts(directory, name)), [&] { return call(directory, name, about, flags); });
}
int fstat(int fd, struct stat* about) {
  static const auto call = real<int(int, struct stat*)>("fstat");
  return unless(fate(do_fstat, counts(fd)), [&] { return call(fd, about); });
}
int fchmod(int fd, mode_t mode) {
  static const auto call = real<int(int, mode_t)>("fchmod");
  return unless(fate(do_fchmod, counts(fd)), [&] { return call(fd, mode); });
}
ssize_t read(int fd, void* into, std::size_t n) {
  static const auto call = real<ssize_t(int, void*, std::size_t)>("read");
  const int how = fate(do_read, counts(fd));
  return unless(how, [&] { return call(fd, into, cut(how, n)); });
}
ssize_t pread(int fd, void* into, std::size_t n, off_t at) {
  static const auto call = real<ssize_t(int, void*, std::size_t, off_t)>("pread");
  const int how = fate(do_pread, counts(fd));
  return unless(how, [&] { return call(fd, into, cut(how, n), at); });
}
ssize_t write(int fd, const void* from, std::size_t n) {
  static const auto call = real<ssize_t(int, const void*, std::size_t)>("write");
  const int how = fate(do_write, counts(fd));
  return unless(how, [&] { return call(fd, from, cut(how, n)); });
}
ssize_t pwrite(int fd, const void* from, std::size_t n, off_t at) {
  static const auto call = real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  const int how = fate(do_pwrite, counts(fd));
  return unless(how, [&] { return call(fd, from, cut(how, n), at); });
}
int fsync(int fd) {
  static const auto call = real<int(int)>("fsync");
  return unless(fate(do_fsync, counts(fd)), [&] { return call(fd); });
}
int fallocate(int fd, int mode, off_t at, off_t n) {
  static const auto call = real<int(int, int, off_t, off_t)>("fallocate");
  return unless(fate(do_fallocate, counts(fd)), [&] { return call(fd, mode, at, n); });
}
int ftruncate(int fd, off_t n) {
  static const auto call = real<int(int, off_t)>("ftruncate");
  return unless(fate(do_ftruncate, counts(fd)), [&] { return call(fd, n); });
}
int renameat(int from, const char* old, int to, const char* now) {
  static const auto call = real<int(int, const char*, int, const char*)>("renameat");
  return unless(fate(do_renameat, counts(from, old)), [&] { return call(from, old, to, now); });
}
int unlinkat(int directory, const char* name, int flags) {
  static const auto call = real<int(int, const char*, int)>("unlinkat");
  return unless(fate(do_unlinkat, counts(directory, name)), [&] { return call(directory, name, flags); });
}
int lstat(const char* path, struct stat* about) {
  static const auto call = real<int(const char*, struct stat*)>("lstat");
  return unless(fate(do_lstat, is_under(path)), [&] { return call(path, about); });
}
int fchmodat(int directory, const char* name, mode_t mode, int flags) {
  static const auto call = real<int(int, const char*, mode_t, int)>("fchmodat");
  return unless(fate(do_fchmodat, counts(directory, name)), [&] { return call(directory, name, mode, flags); });
}
int fcntl(int fd, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  static const auto call = real<int(int, int, ...)>("fcntl");
  return unless(fate(do_fcntl, counts(fd)), [&] { return call(fd, command, argument); });
}
struct dirent* readdir(DIR* directory) {
  static const auto call = real<struct dirent*(DIR*)>("readdir");
  const int error = fate(do_readdir, counts(dirfd(directory)));
  if (error <= 0) return call(directory);
  errno = error;
  return nullptr;
}
ssize_t preadv2(int fd, const iovec* parts, int n, off_t at, int flags) {
  static const auto call = real<ssize_t(int, const iovec*, int, off_t, int)>("preadv2");
  return unless(fate(do_preadv2, counts(fd)), [&] { return call(fd, parts, n, at, flags); });
}
/// The descriptor is closed, as Linux does it whatever it says.
int close(int fd) {
  static const auto call = real<int(int)>("close");
  const int error = fate(do_close, counts(fd));
  const int done = call(fd);
  return unless(error, [&] { return done; });
}
long syscall(long number, ...) {
  static const auto call = real<long(long, ...)>("syscall");
  va_list more;
  va_start(more, number);
  long a[6];
  for (long& argument : a) argument = va_arg(more, long);
  va_end(more);
  if (number == SYS_io_submit && a[1] > 0) return submit(a[0], a[1], reinterpret_cast<iocb**>(a[2]));
  if (number == SYS_io_getevents) return get_events(a[0], a[1], a[2], reinterpret_cast<io_event*>(a[3]), reinterpret_cast<void*>(a[4]));
  return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // extern "C"
