#include <runtime/image/read/reserved_mapping.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace mana::image {

namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 30;

void* map(const wanted_mapping& m, int more) noexcept {
  const int anonymous = m.fd < 0 ? MAP_ANONYMOUS : 0;
  void* const at = reinterpret_cast<void*>(m.memory.begin);
  const std::size_t bytes = m.memory.end - m.memory.begin;
  return mmap(at, bytes, m.protection, m.flags | anonymous | more, m.fd, static_cast<off_t>(m.offset));
}

/// For one call the kernel promises no more than the node's memory, even if it promises more altogether. One mapping
/// may come from several calls of the program. The kernel joins the parts of this function, too.
bool map_in_parts(const wanted_mapping& m) noexcept {
  const bool can_be_joined = (m.flags & (MAP_SHARED | MAP_GROWSDOWN)) == 0;
  if (!can_be_joined || m.memory.end - m.memory.begin <= part_bytes) return false;
  wanted_mapping part = m;
  for (std::uintptr_t at = m.memory.begin; at < m.memory.end; at = part.memory.end) {
    part.memory = {at, std::min(m.memory.end, at + part_bytes)};
    part.offset = m.offset + (at - m.memory.begin);
    void* const got = map(part, 0);
    if (got == reinterpret_cast<void*>(at)) continue;
    if (got != MAP_FAILED) munmap(got, part.memory.end - at);
    if ((m.flags & MAP_FIXED_NOREPLACE) != 0 && at > m.memory.begin)
      munmap(reinterpret_cast<void*>(m.memory.begin), at - m.memory.begin);
    return false;
  }
  return true;
}

}  // namespace

made_mapping map_reserved(const wanted_mapping& wanted, bool is_unreserved) noexcept {
  void* const at = map(wanted, is_unreserved ? MAP_NORESERVE : 0);
  if (at != MAP_FAILED || errno != ENOMEM || is_unreserved) return {at};
  if (map_in_parts(wanted)) return {reinterpret_cast<void*>(wanted.memory.begin)};
  void* const without = map(wanted, MAP_NORESERVE);
  return {without, without != MAP_FAILED};
}

}  // namespace mana::image
