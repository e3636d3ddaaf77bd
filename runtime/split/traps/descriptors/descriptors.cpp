// Calls that open, duplicate and close descriptors. The traps carry them out and give notice (descriptor_events.hpp).
#include <runtime/split/call/descriptor_events.hpp>
#include <arch/stub_call.hpp>
#include <runtime/split/filter/input.hpp>
#include <runtime/split/threads/twin.hpp>
#include <runtime/split/traps/process/ids.hpp>
#include <runtime/split/traps/process/process.hpp>
#include <runtime/split/window/live_threads.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/window.hpp>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

namespace mana::split {
namespace {

constinit descriptor_events the_events;

/// Threads with a table of descriptors of their own (CLOSE_RANGE_UNSHARE). Its descriptors are not in the list.
constinit std::atomic<bool> is_apart[lower::max_threads] = {};

bool told(const trap& t) noexcept { return t.role == process_role::owner && !is_apart[t.self->index].load(); }

void opened(const trap& t, long fd, long like = -1) {
  watch_for_input(t, fd);
  if (fd >= 0 && told(t) && the_events.opened != nullptr)
    the_events.opened(static_cast<int>(fd), static_cast<int>(like));
}
void received(const trap& t, long fd) {
  watch_for_input(t, fd);
  if (fd >= 0 && told(t) && the_events.received != nullptr) the_events.received(static_cast<int>(fd));
}
void closed(const trap& t, long fd) {
  if (told(t) && the_events.closed != nullptr) the_events.closed(static_cast<int>(fd));
}
bool is_open(long fd) noexcept { return !is_error(raw_call(SYS_fcntl, fd, F_GETFD)); }

/// Whether fd is open and the lower half's. Children have copies of all descriptors, and may close them.
bool is_lower_half(const trap& t, long fd) {
  return told(t) && the_events.owned != nullptr && !the_events.owned(static_cast<int>(fd)) && is_open(fd);
}

/// An open of a FIFO waits for the other end.
bool may_block(const trap& t, int path, long flags) noexcept {
  if ((flags & (O_NONBLOCK | O_PATH)) != 0 || (flags & O_ACCMODE) == O_RDWR) return false;
  struct stat s;
  const long directory = path == 0 ? AT_FDCWD : t.arg(0);
  return raw_call(SYS_newfstatat, directory, t.arg(path), as_word(&s), 0) == 0 && S_ISFIFO(s.st_mode);
}

/// Unreadable flags open nothing.
long open_flags(const trap& t) noexcept {
  std::uint64_t flags = O_NONBLOCK;
  switch (t.number) {
    case SYS_open: return t.arg(1);
    case SYS_openat: return t.arg(2);
    case SYS_openat2:
      t.pointer<const std::uint64_t>(2).get(flags);
      return static_cast<long>(flags);  // open_how's first
    default: return O_CREAT | O_WRONLY | O_TRUNC;
  }
}

/// If the opened file is about this process, replaces it, at the same number, by the one about the program.
long show_own(long fd, long directory, program_pointer<const char> path, long flags) noexcept {
  const path_end end = end_of(path);
  const bool is_program = (flags & O_NOFOLLOW) == 0 && shows_own_program(directory, path, end);
  const long own = is_program ? raw_call(SYS_openat, AT_FDCWD, as_word(saved().program), flags & ~long{O_CREAT | O_EXCL | O_TRUNC})
                              : open_own_text(fd, end, flags);
  if (own == nothing_own) return fd;
  const long shown = is_error(own) ? own : raw_call(SYS_dup3, own, fd, flags & O_CLOEXEC);
  if (!is_error(own)) raw_call(SYS_close, own);
  if (is_error(shown)) raw_call(SYS_close, fd);
  return shown;
}

}  // namespace

namespace {

/// fcntl(fd, F_NOTIFY, what): the kernel shows this request nowhere.
long watch_directory(trap& t) {
  static constinit std::atomic<bool> said{false};
  const long result = t.carry_out();
  if (!is_error(result) && t.arg(2) != 0 && told(t))
    warn_once(said, "mana: warning: the program asks for signals of changes in a directory (F_NOTIFY): after a "
                    "restart none come (watches of inotify are kept)\n");
  return result;
}

}  // namespace

void share_descriptors(const lower::thread_block& creator, const lower::thread_block& created) noexcept {
  is_apart[created.index].store(is_apart[creator.index].load());
}

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
  const with_current_ids named(t, path);
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

/// recvmsg(socket, message, …), recvmmsg(socket, messages, …): a message may contain descriptors. Both may wait.
long trap_receive(trap& t) { return continue_in_stub(t, stub().reported_call); }

namespace {

/// Another thread may have changed the message since. Only the kernel knew its earlier contents.
void received_with(const trap& t, program_pointer<const msghdr> message) {
  msghdr header{};
  if (message.get(header) != 0) return;
  const program_pointer<const char> control(t.memory, reinterpret_cast<std::uintptr_t>(header.msg_control));
  for (std::size_t at = 0; at + sizeof(cmsghdr) <= header.msg_controllen;) {
    cmsghdr part{};
    if ((control + at).as<const cmsghdr>().get(part) != 0 || part.cmsg_len < sizeof part) return;
    const std::size_t end = std::min(at + part.cmsg_len, header.msg_controllen);
    if (part.cmsg_level == SOL_SOCKET && part.cmsg_type == SCM_RIGHTS)
      for (std::size_t one = at + CMSG_LEN(0); one + sizeof(int) <= end; one += sizeof(int))
        if (int fd = -1; (control + one).as<const int>().get(fd) == 0) received(t, fd);
    at += CMSG_ALIGN(part.cmsg_len);
  }
}

}  // namespace

/// The stub has made a call that opened a descriptor, received one or more messages, or read standard input.
long trap_report(trap& t) {
  const long result = t.arg(0);
  switch (made_by_stub(t)) {
    case SYS_recvmsg: received_with(t, t.pointer<const msghdr>(1)); break;
    case SYS_recvmmsg:
      for (long i = 0; i < result; ++i)
        received_with(t, (t.pointer<const mmsghdr>(1) + static_cast<std::size_t>(i)).as<const msghdr>());
      break;
    case SYS_read:
    case SYS_readv:
    case SYS_preadv2:
    case SYS_splice:
    case SYS_recvfrom: note_input(result); break;
    case SYS_rt_sigtimedwait: tell_sender(t.pointer<siginfo_t>(1)); break;
    default: opened(t, result);
  }
  return result;
}

/// An int argument is as wide as the program's compiler left it: the bits above are meaningless.
long trap_new_descriptor(trap& t) {
  const bool signals = t.number == SYS_signalfd || t.number == SYS_signalfd4;
  const bool again = signals && static_cast<int>(t.arg(0)) >= 0;   // changes an open one
  const long fd = t.carry_out();
  if (!again) opened(t, fd);
  return fd;
}

namespace {

/// From Linux 6.4 on the kernel alone chooses the address of a ring, and does not move it: the ring is never in the
/// window.
bool can_be_mapped(long ring) noexcept {
  const std::uintptr_t at = mmap_window().choose(page_bytes);
  if (at == 0) return true;                // the mapping reports the lack of room
  constexpr long access = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_FIXED_NOREPLACE;
  const long mapped = raw_call(SYS_mmap, static_cast<long>(at), page_bytes, access, how, ring, 0);
  if (!is_error(mapped)) raw_call(SYS_munmap, mapped, page_bytes);
  mmap_window().release({at, at + page_bytes});
  return mapped != -EINVAL;
}

/// Fails as a kernel without rings: the program uses another way, if it has one.
long refuse_ring(long ring) noexcept {
  static constinit std::atomic<bool> said{false};
  constexpr char text[] = "mana: warning: the program has no io_uring under mana: this kernel maps no ring at an address of the "
                          "program's; io_uring_setup ends with ENOSYS\n";
  if (!said.exchange(true)) raw_call(SYS_write, 2, as_word(text), sizeof text - 1);
  raw_call(SYS_close, ring);
  return -ENOSYS;
}

}  // namespace

/// io_uring_setup(entries, parameters)
long trap_ring_setup(trap& t) {
  constexpr std::uint32_t in_programs_memory = 1u << 14, without_descriptor = 1u << 15;   // IORING_SETUP_NO_MMAP, _REGISTERED_FD_ONLY
  struct { std::uint32_t entries, completions, flags; } parameters{};
  const long result = t.carry_out();
  if (is_error(result)) return result;
  t.pointer<const decltype(parameters)>(1).get(parameters);
  if ((parameters.flags & without_descriptor) != 0) return result;      // a number among registered rings
  if ((parameters.flags & in_programs_memory) == 0 && !can_be_mapped(result)) return refuse_ring(result);
  opened(t, result);
  return result;
}

/// pidfd_getfd(process, fd, …)
long trap_received(trap& t) {
  const long fd = t.carry_out();
  received(t, fd);
  return fd;
}

/// bpf(command, …): some commands open descriptors, the others return 0.
/// landlock_create_ruleset(attributes, size, flags): with flags it returns a version.
long trap_maybe_descriptor(trap& t) {
  const long result = t.carry_out();
  const bool version = t.number == SYS_landlock_create_ruleset && static_cast<std::uint32_t>(t.arg(2)) != 0;
  if (result > 0 && !version) opened(t, result);
  return result;
}

namespace {

void close_both(const int* fds) noexcept {
  raw_call(SYS_close, fds[0]);
  raw_call(SYS_close, fds[1]);
}

long make_pipe(const trap& t, int* fds) noexcept {
  const long result = raw_call(SYS_pipe2, as_word(fds), t.number == SYS_pipe2 ? t.arg(1) : 0);
  if (is_error(result) || t.pointer<int>(0).put(fds, 2) == 0) return result;
  close_both(fds);
  return -EFAULT;
}

/// The kernel writes each of the numbers before it knows whether the sockets succeed.
long make_sockets(const trap& t, int* fds) noexcept {
  fds[0] = fds[1] = -1;
  const long result = raw_call(SYS_socketpair, t.arg(0), t.arg(1), t.arg(2), as_word(fds));
  const auto to = t.pointer<int>(3);
  const bool was_written = fds[0] < 0 || (to.put_whole(fds[0]) == 0 && (to + 1).put_whole(fds[1]) == 0);
  if (was_written) return result;
  if (!is_error(result)) close_both(fds);
  return -EFAULT;
}

}  // namespace

/// pipe(fds), pipe2(fds, …), socketpair(…, fds)
long trap_descriptor_pair(trap& t) {
  const bool sockets = t.number == SYS_socketpair;
  int fds[2];
  const long result = sockets ? make_sockets(t, fds) : make_pipe(t, fds);
  if (is_error(result)) return result;
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
  if (is_error(watch) || !told(t) || the_events.watched == nullptr) return watch;
  std::string path(path_bytes, '\0');
  const long length = t.pointer<const char>(1).get_text(path.data(), path_bytes - 1);
  if (!is_error(length))
    the_events.watched(static_cast<int>(t.arg(0)), static_cast<int>(watch), path.c_str(),
                       (t.arg(2) & IN_DONT_FOLLOW) != 0);
  return watch;
}

/// dup(fd), dup2(fd, to), dup3(fd, to, …), fcntl(fd, F_DUPFD…, F_NOTIFY or F_SETOWN…, …)
long trap_duplicate(trap& t) {
  if (t.number == SYS_fcntl && t.arg(1) == F_NOTIFY) return watch_directory(t);
  if (t.number == SYS_fcntl && t.arg(1) != F_DUPFD && t.arg(1) != F_DUPFD_CLOEXEC) return trap_owner(t);
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
  if (result != -EBADF) closed(t, t.arg(0));   // the descriptor is closed even after an error
  return result;
}

namespace {

/// As the kernel: a table without other users is the thread's own already.
long leave_shared_table(const trap& t) noexcept {
  if (has_one_thread()) return 0;
  const long result = raw_call(SYS_unshare, CLONE_FILES);
  if (!is_error(result)) is_apart[t.self->index].store(true);
  return result;
}

}  // namespace

/// In the owner, closes the program's descriptors only.
long trap_close_range(trap& t) {
  const auto first = static_cast<unsigned>(t.arg(0)), last = static_cast<unsigned>(t.arg(1));
  const auto flags = static_cast<unsigned>(t.arg(2));
  if (!told(t) || the_events.next_owned == nullptr) return t.carry_out();
  if (first > last || (flags & ~(CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE)) != 0) return -EINVAL;
  if ((flags & CLOSE_RANGE_UNSHARE) != 0)
    if (const long result = leave_shared_table(t); is_error(result)) return result;
  if (first > INT32_MAX) return 0;
  for (int fd = the_events.next_owned(static_cast<int>(first)); fd >= 0 && static_cast<unsigned>(fd) <= last;
       fd = fd == INT32_MAX ? -1 : the_events.next_owned(fd + 1)) {
    if ((flags & CLOSE_RANGE_CLOEXEC) != 0) {
      const long now = raw_call(SYS_fcntl, fd, F_GETFD);
      if (!is_error(now)) raw_call(SYS_fcntl, fd, F_SETFD, now | FD_CLOEXEC);
    } else {
      raw_call(SYS_close, fd);
      closed(t, fd);
    }
  }
  return 0;
}

}  // namespace mana::split
