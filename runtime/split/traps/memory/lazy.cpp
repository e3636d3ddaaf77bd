#include <runtime/split/call/pieces.hpp>
#include <runtime/split/traps/memory/advised_lazily.hpp>
#include <runtime/split/traps/memory/lazy.hpp>

#include <runtime/split/window/reservations.hpp>
#include <runtime/split/window/window.hpp>

#include <algorithm>
#include <iterator>

namespace mana::split {
namespace {

constexpr address_range anywhere{0, lower::window_end};
constinit window_map mapped_from_image{anywhere}, cut_in_pieces{anywhere};
constinit std::atomic<bool> some_is_lazy{false};

/// in: as  address whose reservation the new memory copies. If the kernel refuses the reservation now, there is none.
long map_anonymous(std::uintptr_t at, std::size_t bytes, int protection, int flags, std::uintptr_t as) noexcept {
  const auto with = [&](int more) {
    return raw_call(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), protection,
                    MAP_PRIVATE | MAP_ANONYMOUS | flags | more, -1);
  };
  const long result = with(reservation_flag(as));
  return result == -ENOMEM ? with(MAP_NORESERVE) : result;
}

/// Replaces the memory there by anonymous memory.
long empty(address_range r, int protection, std::uintptr_t as) noexcept {
  const long at = map_anonymous(r.begin, r.bytes(), protection, MAP_FIXED, as);
  return is_error(at) ? at : 0;
}

/// Reads the memory whatever its protection.
bool read_memory(address_range from, std::uintptr_t to) noexcept {
  const long fd = raw_call(SYS_open, as_word("/proc/self/mem"), O_RDONLY | O_CLOEXEC);
  if (is_error(fd)) return false;
  long n = 1;
  for (std::size_t done = 0; done < from.bytes() && n > 0; done += static_cast<std::size_t>(std::max(n, 0L)))
    do n = raw_call(SYS_pread64, fd, static_cast<long>(to + done), static_cast<long>(from.bytes() - done),
                    static_cast<long>(from.begin + done));
    while (n == -EINTR);
  raw_call(SYS_close, fd);
  return n > 0 || from.bytes() == 0;
}

constexpr int give_back_locked = 24, install_guard = 102;       // MADV_DONTNEED_LOCKED, MADV_GUARD_INSTALL: newer than this libc

long advise(address_range r, long advice) noexcept {
  return raw_call(SYS_madvise, static_cast<long>(r.begin), static_cast<long>(r.bytes()), advice);
}

/// Whether the kernel knows this advice: with no bytes it answers, and does nothing.
bool is_known(long advice) noexcept { return raw_call(SYS_madvise, 0, 0, advice) == 0; }

/// Replaces the mapping by empty memory of the process's own.
long give_back(const pieces::piece& p) noexcept {
  const long result = empty(p.range, p.protection, p.range.begin);
  if (is_error(result)) return result;
  advise_again(p.range, p.range.begin);
  mapped_from_image.release(p.range);
  return 0;
}

bool is_only_thread() noexcept {
  int n = 0;
  for (std::uint32_t i = 0; i < lower::max_threads; ++i)
    n += lower::thread_blocks()[i].state.load() != lower::thread_state::unused;
  return n == 1;
}

/// Another thread's writes between the copy and the exchange could be lost.     errors: -EINVAL, as for a file's memory
long copy_in_place(const pieces::piece& p) noexcept {
  if (!is_only_thread()) return -EINVAL;
  const auto bytes = static_cast<long>(p.range.bytes());
  const long copy = map_anonymous(0, p.range.bytes(), PROT_READ | PROT_WRITE, 0, p.range.begin);
  if (is_error(copy)) return copy;
  const bool is_read = read_memory(p.range, static_cast<std::uintptr_t>(copy));
  long result = is_read ? raw_call(SYS_mprotect, copy, bytes, p.protection) : -ENOMEM;
  if (!is_error(result)) {
    advise_again(p.range, static_cast<std::uintptr_t>(copy));
    result = raw_call(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(p.range.begin));
  }
  if (is_error(result)) {
    raw_call(SYS_munmap, copy, bytes);
    return result;
  }
  mapped_from_image.release(p.range);
  return 0;
}

/// Carries out advice about memory that is mapped from an image. The kernel would treat it as a file's memory, and the
/// difference would stay visible.
long advise_mapped(const pieces::piece& p, long advice) noexcept {
  const bool gives_back = advice == MADV_DONTNEED || advice == MADV_FREE || advice == give_back_locked;
  if (gives_back && is_known(advice)) return give_back(p);
  long result = 0;
  if (advice == install_guard && is_known(advice)) result = give_back(p);
  else if (advice == MADV_WIPEONFORK) result = copy_in_place(p);
  return is_error(result) ? result : advise(p.range, advice);
}

}  // namespace

void note_lazy(address_range memory) noexcept {
  mapped_from_image.take(memory);
  some_is_lazy.store(true);
}
void note_cut(address_range memory) noexcept { cut_in_pieces.take(memory); }

void forget_lazy(address_range memory) noexcept {
  if (!has_lazy()) return;
  mapped_from_image.release(memory);
  cut_in_pieces.release(memory);
  forget_advised(memory);
}

void lock_lazy() noexcept {
  mapped_from_image.lock();
  cut_in_pieces.lock();
  lock_advised();
}
void unlock_lazy() noexcept {
  unlock_advised();
  cut_in_pieces.unlock();
  mapped_from_image.unlock();
}

bool has_lazy() noexcept { return some_is_lazy.load(std::memory_order_relaxed); }
bool is_lazy(address_range memory) noexcept { return has_lazy() && mapped_from_image.touches(memory); }
bool touches_cut(address_range memory) noexcept { return has_lazy() && cut_in_pieces.touches(memory); }

long advise_maybe_lazy(std::uintptr_t begin, std::size_t bytes, long advice) noexcept {
  const address_range all{begin, begin + page_ceil(bytes)};
  if (page_floor(begin) != begin || all.end < all.begin || !touches_cut(all))
    return raw_call(SYS_madvise, static_cast<long>(begin), static_cast<long>(bytes), advice);
  pieces rest(all);
  pieces::piece found[64];
  long result = 0;
  std::uintptr_t reached = all.begin;
  while (const std::size_t n = rest.next(found, std::size(found)))
    for (const pieces::piece* p = found; p != found + n; ++p) {
      if (p->range.begin != reached) result = -ENOMEM;      // as the kernel reports a hole, after the mapped memory
      reached = p->range.end;
      const long one = is_lazy(p->range) ? advise_mapped(*p, advice) : advise(p->range, advice);
      if (is_error(one)) return one;
      note_advised(p->range, advice);
    }
  return reached == all.end ? result : -ENOMEM;
}

long move_by_copy(const trap& t, address_range old, address_range to, bool keeps_old) noexcept {
  const survey there(old);
  if (!there.is_known) return -ENOMEM;
  if (!there.is_whole() || !there.is_alike) return -EFAULT;
  if (const long made = empty(to, PROT_READ | PROT_WRITE, old.begin); is_error(made)) return made;
  if (!read_memory({old.begin, old.begin + std::min(old.bytes(), to.bytes())}, to.begin)) {
    raw_call(SYS_munmap, static_cast<long>(to.begin), static_cast<long>(to.bytes()));
    return -ENOMEM;
  }
  if (there.protection != (PROT_READ | PROT_WRITE))
    raw_call(SYS_mprotect, static_cast<long>(to.begin), static_cast<long>(to.bytes()), there.protection);
  advise_again({old.begin, old.begin + std::min(old.bytes(), to.bytes())}, to.begin);
  if (t.role == process_role::owner) ::munmap(reinterpret_cast<void*>(old.begin), old.bytes());
  else raw_call(SYS_munmap, static_cast<long>(old.begin), static_cast<long>(old.bytes()));
  if (keeps_old) empty(old, there.protection, old.begin);
  forget_lazy(old);
  return static_cast<long>(to.begin);
}

}  // namespace mana::split
