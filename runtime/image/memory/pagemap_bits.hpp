// Bits of an entry of /proc/PID/pagemap; Documentation/admin-guide/mm/pagemap.rst.
#pragma once
#include <cstdint>

namespace mana::image::pagemap {

constexpr std::uint64_t dirty = std::uint64_t{1} << 55, guard = std::uint64_t{1} << 58, swapped = std::uint64_t{1} << 62,
                        present = std::uint64_t{1} << 63;

}  // namespace mana::image::pagemap
