// The section "threads": each thread's id, 4 bytes, little endian.
#include <runtime/job/sections/sections.hpp>

#include <runtime/split/window/upper_half.hpp>

namespace mana::job {

std::vector<std::uint8_t> save_threads(const gathered&) {
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t id : split::thread_ids())
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(id >> shift));
  return bytes;
}

void restore_threads(const read_section& from, restored_parts& parts) {
  if (!from.bytes) return;
  const auto bytes = *from.bytes;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t id = 0;
    for (std::size_t k = 0; k < 4; ++k) id |= static_cast<std::uint32_t>(bytes[i + k]) << (8 * k);
    parts.thread_ids.push_back(static_cast<std::int32_t>(id));
  }
}

}  // namespace mana::job
