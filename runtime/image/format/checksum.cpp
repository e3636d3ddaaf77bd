#include <runtime/image/format/checksum.hpp>

// Compiled here for speed (CMakeLists.txt): the library's own takes 1.5 times as long.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mana::image {

std::uint64_t packed_checksum(const char* memory, std::size_t bytes, const char* stored, std::size_t stored_bytes) noexcept {
  return XXH3_64bits_withSeed(stored, stored_bytes, XXH3_64bits(memory, bytes));
}

}  // namespace mana::image
