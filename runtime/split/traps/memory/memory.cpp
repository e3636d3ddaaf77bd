// mmap, munmap, mremap, brk. They keep the upper half's memory in the window (INV-1), and the map of the window exact.
#include <runtime/split/call/pieces.hpp>
#include <runtime/split/call/trap.hpp>
#include <runtime/split/traps/memory/async_contexts.hpp>
#include <runtime/split/traps/memory/lazy.hpp>

#include <runtime/split/window/reservations.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/shown_memory.hpp>
#include <runtime/split/window/tracked_memory.hpp>
#include <runtime/split/window/window.hpp>

#include <sys/mman.h>

#include <cerrno>

namespace mana::split {
namespace {

constexpr std::uintptr_t address(long v) noexcept { return static_cast<std::uintptr_t>(v); }
constexpr bool is_page(std::uintptr_t a) noexcept { return page_floor(a) == a; }

/// Libraries that cache registrations of memory have hooked the lower half's libc. A call through libc tells them that
/// the program gives memory back or replaces it. errors: as -errno
template <class F>
long through_libc(const trap& t, F&& call) noexcept {
  if (t.role != process_role::owner) return t.carry_out();
  const long result = call();
  return result == -1 ? -errno : result;
}

constexpr long droppable = 0x08;          // MAP_DROPPABLE, among the types

/// The program has mapped something there, in place of the earlier memory.
void note_mapped(address_range r, long flags) noexcept {
  forget_lazy(r);
  forget_shown(r);
  note_reservation(r, (flags & MAP_NORESERVE) != 0 || (flags & MAP_TYPE) == droppable);
}

/// Nothing is mapped there now.
void note_unmapped(address_range r) noexcept {
  forget_lazy(r);
  forget_shown(r);
  note_reservation(r, false);
}

long map_fixed(trap& t, address_range r) noexcept {
  if (!is_page(r.begin)) return -EINVAL;
  if (r.end < r.begin || !belongs_to_upper(r)) return -ENOMEM;
  const bool keep_others = (t.arg(3) & MAP_FIXED_NOREPLACE) != 0;
  const bool was_free = window_at(r.begin).take_if_free(r);
  if (!was_free && !keep_others) window_at(r.begin).take(r);
  const long result = was_free || keep_others ? t.carry_out() : through_libc(t, [&] {
    return as_word(::mmap(t.place(0), static_cast<std::size_t>(t.arg(1)), static_cast<int>(t.arg(2)),
                          static_cast<int>(t.arg(3)), static_cast<int>(t.arg(4)), t.arg(5)));
  });
  if (is_error(result) && was_free) window_at(r.begin).release(r);
  if (!is_error(result)) note_mapped(r, t.arg(3));
  return result;
}

/// The address that the program suggests, if it is free; else the first gap.
std::uintptr_t choose(long hint, std::size_t bytes, bool is_low) noexcept {
  const std::uintptr_t at = page_floor(address(hint));
  window_map& zone = is_low ? low_window() : mmap_window();
  if (at != 0 && zone.take_if_free({at, at + bytes})) return at;
  return zone.choose(bytes);
}

constexpr bool grows_over_all(std::size_t bytes) noexcept {
  return bytes > lower::window_end - lower::window_begin;
}

}  // namespace

long trap_mmap(trap& t) {
  const long flags = t.arg(3);
  const std::size_t unit = (flags & MAP_HUGETLB) != 0 ? large_bytes : page_bytes;
  const auto asked = static_cast<std::size_t>(t.arg(1));
  if (grows_over_all(asked)) return -ENOMEM;
  const std::size_t bytes = (asked + unit - 1) & ~(unit - 1);
  if (bytes == 0) return -EINVAL;
  if ((flags & (MAP_GROWSDOWN | MAP_LOCKED)) != 0 || (flags & MAP_TYPE) == droppable) note_advice();
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0)
    return map_fixed(t, {address(t.arg(0)), address(t.arg(0)) + bytes});
  const bool is_low = (flags & MAP_32BIT) != 0;
  for (;;) {
    const std::uintptr_t at = choose(t.arg(0), bytes, is_low);
    if (at == 0) return -ENOMEM;
    const long how = (flags & ~long{MAP_32BIT}) | MAP_FIXED_NOREPLACE;
    const long result = raw_call(SYS_mmap, static_cast<long>(at), t.arg(1), t.arg(2), how, t.arg(4), t.arg(5));
    // An untrapped call has mapped something there. The range stays taken; the next gap is tried.
    if (result == -EEXIST) continue;
    if (is_error(result)) window_at(at).release({at, at + bytes});
    else note_mapped({at, at + bytes}, flags);
    return result;
  }
}

long trap_munmap(trap& t) {
  const std::uintptr_t begin = address(t.arg(0));
  const auto asked = static_cast<std::size_t>(t.arg(1));
  if (!is_page(begin) || asked == 0 || grows_over_all(asked)) return -EINVAL;
  const address_range r{begin, begin + page_ceil(asked)};
  if (!belongs_to_upper(r)) return -EINVAL;
  const long result = through_libc(t, [&] { return long{::munmap(t.place(0), asked)}; });
  if (is_error(result)) return result;
  note_unmapped(r);
  window_at(r.begin).release(r);
  return result;
}

namespace {

bool are_valid(long flags, std::size_t old_bytes, std::size_t new_bytes) noexcept {
  constexpr long known = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  if ((flags & ~known) != 0) return false;
  if ((flags & MREMAP_DONTUNMAP) != 0 && page_ceil(old_bytes) != page_ceil(new_bytes)) return false;
  return (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) == 0 || (flags & MREMAP_MAYMOVE) != 0;
}

struct remap {
  address_range old, grown;   // grown: the old place with the new size
  std::size_t new_bytes;
  long flags;
};

/// Never calls libc: UCX replaces its mremap by a function of four arguments, which would lose the new address.
long call_mremap(const trap& t, const remap& m, long flags, std::uintptr_t to) noexcept {
  return raw_call(SYS_mremap, t.arg(0), t.arg(1), static_cast<long>(m.new_bytes), flags, static_cast<long>(to));
}

/// Tells the libraries about memory that left its address without a call of libc.
void tell_moved_away(const trap& t, const address_range& old) noexcept {
  if (t.role != process_role::owner || old.bytes() == 0) return;
  void* const begin = reinterpret_cast<void*>(old.begin);
  const long held = raw_call(SYS_mmap, static_cast<long>(old.begin), static_cast<long>(old.bytes()), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);
  if (!is_error(held)) ::munmap(begin, old.bytes());
  else if (held == -EEXIST) ::madvise(begin, old.bytes(), MADV_DONTNEED);      // MREMAP_DONTUNMAP: it is empty already
}

/// One mapping of the program may be several of the kernel's: tracked memory beside new memory, or restored memory
/// beside new memory. After a lazy restart also memory that was moved by a copy: once it is moved again, the kernel
/// joins it with nothing new.
bool may_be_apart() noexcept {
  return memory_was_tracked.load(std::memory_order_relaxed) || lower::the_bridge().restarts != 0;
}

/// Frees the unmapped parts of `r`: if the kernel moves several mappings, it may fail between two.
void release_gaps(const address_range& r) noexcept {
  std::uintptr_t at = r.begin;
  const auto release_to = [&](std::uintptr_t end) {
    if (at >= end) return;
    note_unmapped({at, end});
    window_at(at).release({at, end});
  };
  const bool is_known = each_mapping([&](const kernel_mapping& m) {
    const address_range part = common(m.range, r);
    if (part.bytes() == 0) return;
    release_to(part.begin);
    at = part.end;
  });
  if (is_known) release_to(r.end);
}

/// If the memory grows, the kernel moves one mapping, or refuses before it changes anything. Otherwise the kernel might
/// move the first mapping before it meets one that it does not move (tracked ones, Linux 6.17), or cut off the end.
/// Therefore the pieces are then moved here.
long move_parts(const trap& t, const remap& m, const address_range& target) noexcept {
  if (target.bytes() > m.old.bytes()) {
    const long result = call_mremap(t, m, m.flags | MREMAP_FIXED, target.begin);
    if (result != -EFAULT) return result;
  }
  return move_by_pieces(m.old, target, (m.flags & MREMAP_DONTUNMAP) != 0);
}

/// Moves to a place that the program names, or that was chosen and taken here.
long move(const trap& t, const remap& m, std::uintptr_t to, bool taken) noexcept {
  const address_range target{to, to + m.new_bytes};
  if (!is_page(to) || (target.begin < m.old.end && m.old.begin < target.end)) return -EINVAL;
  if (!belongs_to_upper(target)) return -ENOMEM;
  const bool was_free = taken || window_at(target.begin).take_if_free(target);
  if (!was_free) {
    window_at(target.begin).take(target);
    if (t.role == process_role::owner) ::munmap(reinterpret_cast<void*>(to), m.new_bytes);
  }
  const bool by_copy = touches_cut(m.old), keeps_old = (m.flags & MREMAP_DONTUNMAP) != 0;
  const long result = by_copy          ? move_by_copy(t, m.old, target, keeps_old)
                      : may_be_apart() ? move_parts(t, m, target)
                                       : call_mremap(t, m, m.flags | MREMAP_FIXED, to);
  if (is_error(result)) {
    release_gaps(target);
    release_gaps(m.old);
    return result;
  }
  forget_lazy(target);
  copy_reservation(m.old, target);
  if (t.role != process_role::forked) note_moved(m.old.begin, to);
  if (!by_copy) tell_moved_away(t, m.old);
  if (m.old.bytes() == 0 || keeps_old) return result;
  note_reservation(m.old, false);
  window_at(m.old.begin).release(m.old);
  return result;
}

/// The wrappers show memory of the live MPI in place of their own. With a length of 0 mremap leaves the old mapping, and refuses
/// a private one (Linux 4.14). The second mapping is made elsewhere first: a refusal must not cost the place its memory.
long show_lower(const trap& t, const remap& m, std::uintptr_t to) noexcept {
  const address_range target{to, to + m.new_bytes};
  if (!is_page(to) || !belongs_to_upper(target)) return -EINVAL;
  const auto bytes = static_cast<long>(m.new_bytes);
  const long second = raw_call(SYS_mremap, t.arg(0), 0, bytes, MREMAP_MAYMOVE, 0);
  if (is_error(second)) return second;
  window_at(to).take(target);
  ::munmap(reinterpret_cast<void*>(to), m.new_bytes);
  const long result = raw_call(SYS_mremap, second, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(to));
  note_unmapped(target);
  if (is_error(result)) {
    raw_call(SYS_munmap, second, bytes);
    window_at(to).release(target);
    return result;
  }
  note_shown(target);
  return result;
}

/// mremap accepts no range of several mappings.
long cut_off(const remap& m, const address_range& rest) noexcept {
  if (rest.bytes() == 0) return static_cast<long>(m.old.begin);
  const long result = raw_call(SYS_munmap, static_cast<long>(rest.begin), static_cast<long>(rest.bytes()));
  return is_error(result) ? result : static_cast<long>(m.old.begin);
}

long shrink(const trap& t, const remap& m) noexcept {
  const address_range rest{m.grown.end, m.old.end};
  long result = touches_cut(m.old) ? cut_off(m, rest) : call_mremap(t, m, 0, 0);
  if (result == -EFAULT && may_be_apart() && survey(m.old).is_whole()) result = cut_off(m, rest);
  if (is_error(result) || rest.bytes() == 0) return result;
  note_unmapped(rest);
  tell_moved_away(t, rest);
  window_at(rest.begin).release(rest);
  return result;
}

long grow_in_place(const trap& t, const remap& m) noexcept {
  const address_range more{m.old.end, m.grown.end};
  if (touches_cut(m.old)) return -ENOMEM;      // a file's mapping grows over the file
  if (!window_at(more.begin).take_if_free(more)) return -ENOMEM;
  long result = call_mremap(t, m, 0, 0);
  if (result == -EFAULT && may_be_apart()) result = grow_last_piece(m.old, more.bytes());
  if (!is_error(result)) {
    note_reservation(more, is_unreserved(m.old.end - page_bytes));
    return static_cast<long>(m.old.begin);
  }
  window_at(more.begin).release(more);
  return result;
}

}  // namespace

long trap_mremap(trap& t) {
  const std::uintptr_t begin = address(t.arg(0));
  const auto old_bytes = static_cast<std::size_t>(t.arg(1)), new_bytes = static_cast<std::size_t>(t.arg(2));
  if (grows_over_all(old_bytes) || grows_over_all(new_bytes)) return -ENOMEM;
  if (!is_page(begin) || new_bytes == 0 || !are_valid(t.arg(3), old_bytes, new_bytes)) return -EINVAL;
  const remap m{{begin, begin + page_ceil(old_bytes)}, {begin, begin + page_ceil(new_bytes)}, page_ceil(new_bytes), t.arg(3)};
  const bool is_lower = !belongs_to_upper({begin, begin + page_bytes});
  if (is_lower && old_bytes == 0 && (m.flags & MREMAP_FIXED) != 0 && t.role == process_role::owner)
    return show_lower(t, m, address(t.arg(4)));
  if (is_lower || !belongs_to_upper(m.old)) return -EFAULT;
  if ((m.flags & MREMAP_FIXED) != 0) return move(t, m, address(t.arg(4)), false);
  const bool must_move = old_bytes == 0 || (m.flags & MREMAP_DONTUNMAP) != 0;
  if (!must_move && m.new_bytes <= m.old.bytes()) return shrink(t, m);
  if (!must_move) {
    const long result = grow_in_place(t, m);
    if (result != -ENOMEM) return result;
  }
  if ((m.flags & MREMAP_MAYMOVE) == 0) return must_move ? -EINVAL : -ENOMEM;
  const std::uintptr_t to = mmap_window().choose(m.new_bytes);
  return to == 0 ? -ENOMEM : move(t, m, to, true);
}

namespace {
constinit raw_lock brk_lock;

long unmap_break(address_range r) noexcept {
  const long result = raw_call(SYS_munmap, static_cast<long>(r.begin), static_cast<long>(r.bytes()));
  if (!is_error(result)) note_unmapped(r);
  return result;
}
}  // namespace

long trap_brk(trap& t) {
  const std::uintptr_t wanted = address(t.arg(0));
  saved_state& state = saved();
  brk_lock.lock();
  if (wanted >= lower::brk_zone && wanted <= lower::mmap_zone) {
    const std::uintptr_t pages = page_ceil(wanted);
    long result = 0;
    if (pages > state.brk_mapped)
      result = raw_call(SYS_mmap, static_cast<long>(state.brk_mapped), static_cast<long>(pages - state.brk_mapped),
                        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
    else if (pages < state.brk_mapped)
      result = unmap_break({pages, state.brk_mapped});
    if (!is_error(result)) {
      state.brk_mapped = pages;
      state.brk_end = wanted;
    }
  }
  const std::uintptr_t end = state.brk_end;
  brk_lock.unlock();
  return static_cast<long>(end);
}

}  // namespace mana::split
