// Format version 1 of an image: the parts that version 2's tables at the end replaced; see format.hpp.
#pragma once
#include <cstdint>

namespace mana::image::format_1 {

inline constexpr std::uint64_t trailer_magic = 0x31'444e'4541'4e41'4d;   // "MANAEND1"

struct chunk_header {
  std::uint64_t address;             // of the memory
  std::uint32_t memory_bytes;
  std::uint32_t stored_bytes;        // that follow; equal to memory_bytes: not compressed, else an LZ4 block
  std::uint64_t checksum;            // XXH3-64 over the memory; compressed: over the block, seeded with that value
};
static_assert(sizeof(chunk_header) == 24);

struct trailer {
  std::uint64_t magic;
  std::uint64_t chunk_count;
  std::uint64_t memory_bytes;        // in all chunks
  std::uint64_t chunks_checksum;     // XXH3-64 over the file header's checksum and all chunk headers, in order
};
static_assert(sizeof(trailer) == 32);

}  // namespace mana::image::format_1
