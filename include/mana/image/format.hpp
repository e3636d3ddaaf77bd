// Layout of a rank's image file. Little endian, x86-64.
//
//   file_header | sections: section_header, bytes … | regions: region_record, path … | chunks: chunk_header, bytes … |
//   trailer
//
// A chunk holds at most chunk_bytes of one region's memory; pages that are in no chunk read as zeros. Every byte of the
// file is covered by a checksum: of the header itself, of the tables (sections and regions together), of each chunk's
// memory and stored bytes, of all chunk headers (in the trailer), of the trailer (in the manifest).
// Of every later version too: magic, version, abi_version and the header's checksum are where they are here.
#pragma once
#include <cstddef>
#include <cstdint>

namespace mana::image {

inline constexpr std::uint64_t file_magic = 0x31'4547'414d'4941'4d;      // "MAIMAGE1"
inline constexpr std::uint64_t trailer_magic = 0x31'444e'4541'4e41'4d;   // "MANAEND1"
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t chunk_bytes = 256u << 10;

struct file_header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t abi_version;         // of the boundary in include/mana/lower/abi.hpp
  std::uint32_t rank, world_size;
  std::uint32_t page_bytes;
  std::uint32_t section_count, region_count;
  std::uint32_t reserved;
  std::uint64_t tables_bytes;        // of sections and regions
  std::uint64_t tables_checksum;     // XXH3-64 over them
  std::uint64_t cpu_features[4];     // see runtime/checkpoint/processor.hpp; the processor must have each bit that is set
  std::uint64_t checksum;            // XXH3-64 over the members above
};
static_assert(sizeof(file_header) == 96);

struct section_header {
  char name[24];                     // zero padded
  std::uint64_t bytes;               // that follow
};
static_assert(sizeof(section_header) == 32);

struct region_record {
  std::uint64_t begin, end;          // addresses, whole pages
  std::uint32_t protection;          // PROT_*
  std::uint32_t shared;              // 1: MAP_SHARED
  std::uint64_t offset;              // in the file `path`
  std::uint64_t path_bytes;          // that follow; 0: anonymous
};
static_assert(sizeof(region_record) == 40);

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

}  // namespace mana::image
