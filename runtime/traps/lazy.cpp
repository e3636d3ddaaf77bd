#include "lazy.hpp"

#include "../loader/kernel_mappings.hpp"
#include "../loader/window.hpp"

#include <algorithm>

namespace mana::split {
namespace {

constexpr address_range anywhere{0, lower::window_end};
constinit window_map mapped_from_image{anywhere}, cut_in_pieces{anywhere};
constinit std::atomic<bool> some_is_lazy{false};

address_range common(address_range a, address_range b) noexcept {
  return {std::max(a.begin, b.begin), std::max(std::max(a.begin, b.begin), std::min(a.end, b.end))};
}

/// Maps anonymous memory in the place of what is there.
long empty(address_range r, int protection) noexcept {
  const long at = raw_call(SYS_mmap, static_cast<long>(r.begin), static_cast<long>(r.bytes()), protection,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1);
  return is_error(at) ? at : 0;
}

/// What lies in a range, for as long as no call changes it.
struct lookup {
  address_range wanted;
  std::uintptr_t next;         // all of [wanted.begin, next) is mapped
  int protection = -1;         // of the first; -2: there are several
  void look(const kernel_mapping& m) noexcept {
    const address_range part = common(m.range, wanted);
    if (part.bytes() == 0) return;
    if (protection == -1) protection = m.protection;
    if (protection != m.protection) protection = -2;
    if (m.range.begin <= next) next = std::max(next, part.end);
  }
};

/// Whatever the program may do with it itself.
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

/// Pieces of [begin, end) that are mapped from an image, and what lies between them, as one call handles them.
class pieces {
 public:
  explicit pieces(address_range all) noexcept : all_(all), at_(all.begin) {}

  struct piece { address_range range; bool is_lazy; int protection; };

  /// out: how many
  std::size_t next(piece* found, std::size_t most) noexcept {
    std::size_t n = 0;
    const std::uintptr_t from = at_;
    each_mapping([&](const kernel_mapping& m) {
      const address_range part = common(m.range, {from, all_.end});
      if (part.bytes() == 0 || n == most) return;
      found[n++] = {part, is_lazy(part), m.protection};
      at_ = part.end;
    });
    return n;
  }

 private:
  address_range all_;
  std::uintptr_t at_;
};

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
}

void lock_lazy() noexcept {
  mapped_from_image.lock();
  cut_in_pieces.lock();
}
void unlock_lazy() noexcept {
  cut_in_pieces.unlock();
  mapped_from_image.unlock();
}

bool has_lazy() noexcept { return some_is_lazy.load(std::memory_order_relaxed); }
bool is_lazy(address_range memory) noexcept { return has_lazy() && mapped_from_image.touches(memory); }
bool touches_cut(address_range memory) noexcept { return has_lazy() && cut_in_pieces.touches(memory); }

long give_back_lazy(const trap& t) noexcept {
  const std::uintptr_t begin = static_cast<std::uintptr_t>(t.arg(0));
  const address_range all{begin, begin + page_ceil(static_cast<std::size_t>(t.arg(1)))};
  if (page_floor(begin) != begin || all.end < all.begin || !is_lazy(all)) return t.carry_out();
  pieces rest(all);
  pieces::piece found[64];
  long result = 0;
  std::uintptr_t reached = all.begin;
  while (const std::size_t n = rest.next(found, std::size(found)))
    for (const pieces::piece* p = found; p != found + n; ++p) {
      if (p->range.begin != reached) result = -ENOMEM;      // as the kernel says of a hole, after what is mapped
      reached = p->range.end;
      const long one = p->is_lazy ? empty(p->range, p->protection)
                                  : raw_call(t.number, static_cast<long>(p->range.begin),
                                             static_cast<long>(p->range.bytes()), t.arg(2));
      if (is_error(one)) return one;
      if (p->is_lazy) mapped_from_image.release(p->range);
    }
  return reached == all.end ? result : -ENOMEM;
}

long move_by_copy(const trap& t, address_range old, address_range to, bool keeps_old) noexcept {
  lookup there{old, old.begin};
  if (!each_mapping([&](const kernel_mapping& m) { there.look(m); })) return -ENOMEM;
  if (there.next != old.end || there.protection < 0) return -EFAULT;
  if (const long made = empty(to, PROT_READ | PROT_WRITE); is_error(made)) return made;
  if (!read_memory({old.begin, old.begin + std::min(old.bytes(), to.bytes())}, to.begin)) {
    raw_call(SYS_munmap, static_cast<long>(to.begin), static_cast<long>(to.bytes()));
    return -ENOMEM;
  }
  if (there.protection != (PROT_READ | PROT_WRITE))
    raw_call(SYS_mprotect, static_cast<long>(to.begin), static_cast<long>(to.bytes()), there.protection);
  if (t.role == process_role::owner) ::munmap(reinterpret_cast<void*>(old.begin), old.bytes());
  else raw_call(SYS_munmap, static_cast<long>(old.begin), static_cast<long>(old.bytes()));
  if (keeps_old) empty(old, there.protection);
  forget_lazy(old);
  return static_cast<long>(to.begin);
}

}  // namespace mana::split
