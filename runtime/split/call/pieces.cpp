#include <runtime/split/call/pieces.hpp>

#include <iterator>

namespace mana::split {
namespace {

long move_one(address_range from, std::size_t bytes, std::uintptr_t to, long more_flags) noexcept {
  return raw_call(SYS_mremap, static_cast<long>(from.begin), static_cast<long>(from.bytes()), static_cast<long>(bytes),
                  MREMAP_MAYMOVE | MREMAP_FIXED | more_flags, static_cast<long>(to));
}

/// in:  grows_by  bytes by which the last mapping grows
/// out: reached   end of the part that was moved
long move_each(address_range from, std::uintptr_t to, std::size_t grows_by, long more_flags, std::uintptr_t& reached) noexcept {
  pieces rest(from);
  pieces::piece found[64];
  reached = from.begin;
  while (const std::size_t n = rest.next(found, std::size(found)))
    for (const pieces::piece* p = found; p != found + n; ++p) {
      const std::size_t more = p->range.end == from.end ? grows_by : 0;
      const long result = move_one(p->range, p->range.bytes() + more, to + (p->range.begin - from.begin), more_flags);
      if (is_error(result)) return result;
      reached = p->range.end;
    }
  return reached == from.end ? 0 : -EFAULT;
}

/// Moves mappings back. They replace the empty memory that MREMAP_DONTUNMAP has left in the old place.
void move_back(address_range old, std::uintptr_t to, std::uintptr_t reached) noexcept {
  std::uintptr_t ignored = 0;
  if (reached != old.begin) move_each({to, to + (reached - old.begin)}, old.begin, 0, 0, ignored);
}

long unmap(address_range r) noexcept {
  return r.bytes() == 0 ? 0 : raw_call(SYS_munmap, static_cast<long>(r.begin), static_cast<long>(r.bytes()));
}

}  // namespace

/// Mappings with different protections cannot come from one mapping of the program. Linux 6.17 moves even these, but
/// cannot change their length.
long move_by_pieces(address_range old, address_range to, bool keeps_old) noexcept {
  const survey there(old);
  if (!there.is_known) return -ENOMEM;
  if (!there.is_whole() || (!there.is_alike && old.bytes() != to.bytes())) return -EFAULT;
  const std::size_t grows_by = to.bytes() - std::min(old.bytes(), to.bytes());
  const address_range kept{old.begin, old.begin + std::min(old.bytes(), to.bytes())};
  std::uintptr_t reached = old.begin;
  long result = move_each(kept, to.begin, grows_by, keeps_old ? MREMAP_DONTUNMAP : 0, reached);
  if (!is_error(result)) result = unmap({kept.end, old.end});
  if (!is_error(result)) return static_cast<long>(to.begin);
  move_back(kept, to.begin, reached);
  return result;
}

long grow_last_piece(address_range old, std::size_t more) noexcept {
  const survey there(old);
  if (!there.is_known) return -ENOMEM;
  if (!there.is_whole() || !there.is_alike || there.count < 2) return -EFAULT;
  return raw_call(SYS_mremap, static_cast<long>(there.last.begin), static_cast<long>(there.last.bytes()),
                  static_cast<long>(there.last.bytes() + more), 0);
}

}  // namespace mana::split
