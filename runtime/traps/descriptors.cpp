// Calls that open, duplicate and close descriptors: carried out, and told to whoever keeps the list of the upper half's.
#include "descriptor_events.hpp"
#include "process.hpp"
#include "stub_call.hpp"

#include "../loader/bridge.hpp"
#include "../loader/saved_state.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace mana::split {
namespace {

constinit descriptor_events the_events;

bool told(const trap& t) noexcept { return t.role == process_role::owner; }

void opened(const trap& t, long fd, long like = -1) {
  if (fd >= 0 && told(t) && the_events.opened != nullptr)
    the_events.opened(static_cast<int>(fd), static_cast<int>(like));
}
void received(const trap& t, long fd) {
  if (fd >= 0 && told(t) && the_events.received != nullptr) the_events.received(static_cast<int>(fd));
}
void closed(const trap& t, long fd) {
  if (told(t) && the_events.closed != nullptr) the_events.closed(static_cast<int>(fd));
}
bool is_open(long fd) noexcept { return !is_error(raw_call(SYS_fcntl, fd, F_GETFD)); }

/// True if fd is open, and the lower half's. Children have copies of all descriptors, which they may close.
bool is_lower_half(const trap& t, long fd) {
  return told(t) && the_events.owned != nullptr && is_open(fd) && !the_events.owned(static_cast<int>(fd));
}

/// Opening a FIFO waits for its other end.
bool may_block(const trap& t, int path, long flags) noexcept {
  if ((flags & (O_NONBLOCK | O_PATH)) != 0 || (flags & O_ACCMODE) == O_RDWR) return false;
  struct stat s;
  const long directory = path == 0 ? AT_FDCWD : t.arg(0);
  return raw_call(SYS_newfstatat, directory, t.arg(path), as_word(&s), 0) == 0 && S_ISFIFO(s.st_mode);
}

long open_flags(const trap& t) noexcept {
  switch (t.number) {
    case SYS_open: return t.arg(1);
    case SYS_openat: return t.arg(2);
    case SYS_openat2: return static_cast<long>(*t.pointer<const std::uint64_t>(2));   // open_how::flags is the first
    default: return O_CREAT | O_WRONLY | O_TRUNC;
  }
}

/// Where what was opened is about this process, the program's comes to the same number.
/// in: path  that the kernel has read
long show_own(long fd, long directory, const char* path, long flags) noexcept {
  const long own = (flags & O_NOFOLLOW) == 0 && shows_own_program(directory, path)
                       ? raw_call(SYS_openat, AT_FDCWD, as_word(saved().program), flags & ~long{O_CREAT | O_EXCL | O_TRUNC})
                       : open_own_text(fd, path, flags);
  if (own == nothing_own) return fd;
  const long shown = is_error(own) ? own : raw_call(SYS_dup3, own, fd, flags & O_CLOEXEC);
  if (!is_error(own)) raw_call(SYS_close, own);
  if (is_error(shown)) raw_call(SYS_close, fd);
  return shown;
}

}  // namespace

void set_descriptor_events(const descriptor_events& events) noexcept { the_events = events; }

namespace {
std::atomic<bool> has_shared{false};
}
bool has_shared_descriptors() noexcept { return has_shared.load(); }
void note_shared_descriptors() noexcept { has_shared.store(true); }

void note_descriptor(const trap& t, long fd) { opened(t, fd); }

/// open(path, …), creat(path, …), openat(directory, path, …), openat2(directory, path, …)
long trap_open(trap& t) {
  const int path = t.number == SYS_open || t.number == SYS_creat ? 0 : 1;
  if (may_block(t, path, open_flags(t))) return continue_in_stub(t, stub().reported_call);
  long fd = t.carry_out();
  if (!is_error(fd)) fd = show_own(fd, path == 0 ? AT_FDCWD : t.arg(0), t.pointer<const char>(path), open_flags(t));
  opened(t, fd);
  return fd;
}

long trap_accept(trap& t) {
  const long flags = raw_call(SYS_fcntl, t.arg(0), F_GETFL);
  if (!is_error(flags) && (flags & O_NONBLOCK) == 0) return continue_in_stub(t, stub().reported_call);
  return trap_new_descriptor(t);
}

/// recvmsg(socket, message, …), recvmmsg(socket, messages, …): a message may bring descriptors. Both may wait.
long trap_receive(trap& t) { return continue_in_stub(t, stub().reported_call); }

namespace {

void received_with(const trap& t, msghdr& message) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
      received(t, fd);
    }
  }
}

}  // namespace

/// The stub made a call that opened a descriptor, received a message, or several, or read standard input.
long trap_report(trap& t) {
  const long result = t.arg(0);
  switch (made_by_stub(t)) {
    case SYS_recvmsg: received_with(t, *t.pointer<msghdr>(1)); break;
    case SYS_recvmmsg:
      for (long i = 0; i < result; ++i) received_with(t, t.pointer<mmsghdr>(1)[i].msg_hdr);
      break;
    case SYS_read:
    case SYS_readv: note_input(t, result); break;
    default: opened(t, result);
  }
  return result;
}

/// The arguments of int are as wide as the program's compiler left them: what is above them says nothing.
long trap_new_descriptor(trap& t) {
  const bool signals = t.number == SYS_signalfd || t.number == SYS_signalfd4;
  const bool again = signals && static_cast<int>(t.arg(0)) >= 0;   // changes an open one
  const long fd = t.carry_out();
  if (!again) opened(t, fd);
  return fd;
}

/// pidfd_getfd(process, fd, …)
long trap_received(trap& t) {
  const long fd = t.carry_out();
  received(t, fd);
  return fd;
}

/// bpf(command, …), of whose commands some open descriptors and the others return 0
/// landlock_create_ruleset(attributes, size, flags), which with flags tells a version
long trap_maybe_descriptor(trap& t) {
  const long result = t.carry_out();
  const bool version = t.number == SYS_landlock_create_ruleset && static_cast<std::uint32_t>(t.arg(2)) != 0;
  if (result > 0 && !version) opened(t, result);
  return result;
}

/// pipe(fds), pipe2(fds, …), socketpair(…, fds)
long trap_descriptor_pair(trap& t) {
  const bool sockets = t.number == SYS_socketpair;
  const long result = t.carry_out();
  if (is_error(result)) return result;
  const int* const fds = t.pointer<const int>(sockets ? 3 : 0);
  if (sockets && told(t) && the_events.paired != nullptr) {
    the_events.paired(fds[0], fds[1]);
    return result;
  }
  opened(t, fds[0]);
  opened(t, fds[1]);
  return result;
}

/// inotify_add_watch(fd, path, mask)
long trap_watch(trap& t) {
  const long watch = t.carry_out();
  if (!is_error(watch) && told(t) && the_events.watched != nullptr)
    the_events.watched(static_cast<int>(t.arg(0)), static_cast<int>(watch), t.pointer<const char>(1),
                       (t.arg(2) & IN_DONT_FOLLOW) != 0);
  return watch;
}

/// dup(fd), dup2(fd, to), dup3(fd, to, …), fcntl(fd, F_DUPFD…, …)
long trap_duplicate(trap& t) {
  const bool onto = t.number == SYS_dup2 || t.number == SYS_dup3;
  if (is_lower_half(t, t.arg(0))) return -EBADF;
  if (onto && is_lower_half(t, t.arg(1))) return -EBUSY;
  const bool same = onto && static_cast<int>(t.arg(0)) == static_cast<int>(t.arg(1));
  const bool replaces = onto && !same && is_open(t.arg(1));
  const long fd = t.carry_out();
  if (is_error(fd) || same) return fd;
  if (replaces) closed(t, fd);
  opened(t, fd, t.arg(0));
  return fd;
}

long trap_close(trap& t) {
  if (is_lower_half(t, t.arg(0))) return -EBADF;
  const long result = t.carry_out();
  if (result != -EBADF) closed(t, t.arg(0));   // also after an error the descriptor is gone
  return result;
}

/// In the owner one by one, around the lower half's.
long trap_close_range(trap& t) {
  const auto first = static_cast<unsigned>(t.arg(0)), last = static_cast<unsigned>(t.arg(1));
  const long flags = t.arg(2);
  if (!told(t) || the_events.owned == nullptr) return t.carry_out();
  if (first > last || (flags & ~long{CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE}) != 0) return -EINVAL;
  rlimit limit{};
  raw_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, as_word(&limit));
  const long end = static_cast<long>(std::min<std::uint64_t>(std::uint64_t{last} + 1, limit.rlim_max));
  for (long fd = first; fd < end; ++fd) {
    if (!is_open(fd) || is_lower_half(t, fd)) continue;
    if ((flags & CLOSE_RANGE_CLOEXEC) != 0) {
      raw_call(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
    } else {
      raw_call(SYS_close, fd);
      closed(t, fd);
    }
  }
  return 0;
}

}  // namespace mana::split
