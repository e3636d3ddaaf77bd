// Calls that give a mapping, or all of them, properties that /proc/self/maps does not show. A checkpoint searches for
// these properties only after such a call: the search is slow.
#include <runtime/split/call/trap.hpp>
#include <runtime/split/traps/memory/lazy.hpp>

#include <runtime/split/window/saved_state.hpp>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <cerrno>

namespace mana::split {

void note_advice() noexcept { saved().has_advice = 1; }

bool stays_advised(long advice) noexcept {
  return advice == MADV_RANDOM || advice == MADV_SEQUENTIAL || (advice >= MADV_DONTFORK && advice < MADV_COLD);
}

namespace {

void note_if_stays(const trap& t, long advice) noexcept {
  if (t.role != process_role::borrowing && stays_advised(advice)) note_advice();
}

}  // namespace

/// After a lazy restart all advice is trapped; otherwise only advice that a mapping keeps.
long trap_madvise(trap& t) {
  const long advice = t.arg(2);
  const long result = advise_maybe_lazy(static_cast<std::uintptr_t>(t.arg(0)), static_cast<std::size_t>(t.arg(1)), advice);
  if (!is_error(result)) note_if_stays(t, advice);
  return result;
}

namespace {

/// For ioctl(PIDFD_GET_INFO) of Linux 6.13. The same version lets process_madvise give all kinds of advice to the own
/// process.
struct pidfd_info {
  std::uint64_t mask, cgroup;
  std::uint32_t pid, process, rest[10];
};
static_assert(sizeof(pidfd_info) == 64);

bool names_this_process(long pidfd) noexcept {
  constexpr long own_thread = -10000, own_process = -20000;      // PIDFD_SELF_…
  if (pidfd == own_thread || pidfd == own_process) return true;
  pidfd_info about{};
  return raw_call(SYS_ioctl, pidfd, _IOWR(0xff, 11, pidfd_info), as_word(&about)) == 0 &&
         about.process == static_cast<std::uint32_t>(raw_call(SYS_getpid));
}

/// Advises one range after the other. As the kernel does, reads the list before.
/// out: bytes that were advised; if none, -errno
long advise_each(const trap& t) noexcept {
  std::size_t done = 0;
  for (long i = 0; i < t.arg(2); ++i)
    if (iovec one{}; (t.pointer<const iovec>(1) + static_cast<std::size_t>(i)).get(one) != 0) return -EFAULT;
  for (long i = 0; i < t.arg(2); ++i) {
    iovec one{};
    const long fault = (t.pointer<const iovec>(1) + static_cast<std::size_t>(i)).get(one);
    const auto begin = reinterpret_cast<std::uintptr_t>(one.iov_base);
    const long result = fault != 0 ? fault : advise_maybe_lazy(begin, one.iov_len, t.arg(3));
    if (is_error(result)) return done != 0 ? static_cast<long>(done) : result;
    done += one.iov_len;
  }
  return static_cast<long>(done);
}

}  // namespace

/// An empty list is left to the kernel, which says whether it takes such a call.
long trap_process_madvise(trap& t) {
  constexpr long most_vectors = 1024;      // UIO_MAXIOV
  if (!names_this_process(t.arg(0))) return t.carry_out();
  const bool by_parts = has_lazy() && t.arg(2) >= 0 && t.arg(2) <= most_vectors;
  const long asked = by_parts ? raw_call(t.number, t.arg(0), 0, 0, t.arg(3), t.arg(4)) : t.carry_out();
  const long result = by_parts && !is_error(asked) ? advise_each(t) : asked;
  if (!is_error(result)) note_if_stays(t, t.arg(3));
  return result;
}

/// mlock, mlock2, mlockall, munlockall, mbind, mseal, pkey_alloc
long trap_advice(trap& t) {
  const long result = t.carry_out();
  if (is_error(result) || t.role == process_role::borrowing) return result;
  if (t.number == SYS_mlockall) saved().locks_all = static_cast<std::uint32_t>(t.arg(0));
  if (t.number == SYS_munlockall) saved().locks_all = 0;
  note_advice();
  return result;
}

}  // namespace mana::split
