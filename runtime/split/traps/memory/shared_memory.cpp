// System V shared memory. The address for shmat is chosen as for mmap.
#include <runtime/split/call/trap.hpp>
#include <runtime/split/traps/memory/lazy.hpp>

#include <runtime/split/window/reservations.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/split/window/window.hpp>

#include <sys/ipc.h>
#include <sys/shm.h>

#include <cerrno>
#include <mutex>
#include <utility>

namespace mana::split {
namespace {

/// The attached segments. shmdt gets no length, and needs the list to free their addresses.
constexpr std::size_t most_attached = 4096;   // the kernel's own default limit of segments (SHMMNI)
struct attached {
  std::uintptr_t begin;
  std::size_t bytes;           // 0: none
  bool restored;               // a mapping of a file of ours, which the kernel does not know as a segment
};
constinit attached all_attached[most_attached] = {};
constinit raw_lock attached_lock;

bool remember(address_range r, bool restored) noexcept {
  const std::scoped_lock hold(attached_lock);
  for (attached& a : all_attached) {
    if (a.bytes != 0) continue;
    a = {r.begin, r.bytes(), restored};
    return true;
  }
  return false;
}

/// Removes the segment that is attached there from the list.     out: of 0 bytes: there is none
attached forget(std::uintptr_t begin) noexcept {
  const std::scoped_lock hold(attached_lock);
  for (attached& a : all_attached)
    if (a.bytes != 0 && a.begin == begin) return std::exchange(a, {});
  return {};
}

}  // namespace

long trap_shmat(trap& t) {
  shmid_ds segment{};
  const long known = raw_call(SYS_shmctl, t.arg(0), IPC_STAT, as_word(&segment));
  if (is_error(known)) return known;
  const std::size_t bytes = page_ceil(segment.shm_segsz);
  auto at = static_cast<std::uintptr_t>(t.arg(1));
  const bool chosen = at == 0;
  if (chosen) {
    at = mmap_window().choose(bytes);
    if (at == 0) return -ENOMEM;
  } else {
    if ((t.arg(2) & SHM_RND) != 0) at &= ~static_cast<std::uintptr_t>(SHMLBA - 1);
    if (!belongs_to_upper({at, at + bytes})) return -EINVAL;
  }
  const bool was_free = chosen || window_at(at).take_if_free({at, at + bytes});
  const long result = raw_call(SYS_shmat, t.arg(0), static_cast<long>(at), t.arg(2));
  if (is_error(result)) {
    if (was_free) window_at(at).release({at, at + bytes});
    return result;
  }
  if (!was_free) window_at(at).take({at, at + bytes});
  forget_lazy({at, at + bytes});
  note_reservation({at, at + bytes}, false);
  if (remember({at, at + bytes}, false)) return result;
  raw_call(SYS_shmdt, result);
  window_at(at).release({at, at + bytes});
  return -EMFILE;
}

long trap_shmdt(trap& t) {
  const auto begin = static_cast<std::uintptr_t>(t.arg(0));
  const attached was = forget(begin);
  const long result = was.restored ? raw_call(SYS_munmap, t.arg(0), static_cast<long>(was.bytes)) : t.carry_out();
  if (!is_error(result)) window_at(begin).release({begin, begin + was.bytes});
  return result;
}

void note_attached(std::uintptr_t begin, std::uintptr_t end, attached_as what) noexcept {
  forget(begin);      // it may be noted twice
  remember({begin, end}, what == attached_as::memory);
}

}  // namespace mana::split
