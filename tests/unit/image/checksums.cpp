// A chunk's checksum is XXH3-64, in whatever way it is computed.
#include <runtime/image/format/checksum.hpp>

#include <mana/image/format.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace checksums_tests {

using namespace mana;

TEST_CASE("a chunk's checksum is XXH3-64 of its memory, or of what is stored with that as seed") {
  std::vector<char> bytes(2 * image::chunk_bytes);
  std::mt19937 random(1);
  for (char& b : bytes) b = static_cast<char>(random());
  const char* const memory = bytes.data();
  const char* const stored = memory + image::chunk_bytes;
  for (std::size_t n = image::page_bytes; n <= image::chunk_bytes; n += image::page_bytes) {
    CHECK(image::wide_checksum(memory, n) == XXH3_64bits(memory, n));
    CHECK(image::chunk_checksum(memory, n, memory, n) == XXH3_64bits(memory, n));
  }
  for (const std::size_t packed : {std::size_t{1}, std::size_t{17}, std::size_t{200}, std::size_t{241}, std::size_t{4097}, image::chunk_bytes - 1})
    CHECK(image::chunk_checksum(memory, image::chunk_bytes, stored, packed) ==
          XXH3_64bits_withSeed(stored, packed, XXH3_64bits(memory, image::chunk_bytes)));
}

}  // namespace checksums_tests
