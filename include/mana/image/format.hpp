// Layout of a rank's image file, version 2. Little endian, x86-64. format_table.hpp describes each member.
//
//   file_header, zeros up to a page | bytes of chunks, those that are not compressed on whole pages | tables | trailer
//
//   tables: sections: section_header, bytes … | regions: region_record, path … | sources: source_record, name … |
//           chunks: chunk_record …
//
// The chunk records are the image. Each says where a piece of the program's memory is: in this file, or in another file
// that a source names. Pages of a region without a record are zeros. Checksums cover all that a restart reads: the
// header's own, the trailer's, the tables' (in the trailer), each chunk's (in its record). The bytes between chunks are
// zeros. The manifest has the trailer's checksum, and so covers all.
//
// Frozen: to change a layout, raise format_version, keep a reader of the former version, and add a golden image
// (tests/unit/image/golden). Every later version keeps magic, version, layout_major, services_minor and the header's
// checksum in their places.
#pragma once
#include <cstddef>
#include <cstdint>

namespace mana::image {

inline constexpr std::uint64_t file_magic = 0x31'4547'414d'4941'4d;      // "MAIMAGE1"
inline constexpr std::uint64_t trailer_magic = 0x32'444e'4541'4e41'4d;   // "MANAEND2"
inline constexpr std::uint32_t format_version = 2, oldest_format_version = 1;
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t chunk_bytes = 256u << 10;

struct file_header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t layout_major;
  std::uint32_t rank, world_size;
  std::uint32_t page_bytes;
  std::uint32_t section_count, region_count;
  std::uint32_t services_minor;
  std::uint64_t tables_bytes;
  std::uint64_t tables_checksum;
  std::uint64_t cpu_features[4];
  std::uint64_t checksum;
};
static_assert(sizeof(file_header) == 96);

struct section_header {
  char name[24];
  std::uint64_t bytes;
};
static_assert(sizeof(section_header) == 32);

struct region_record {
  std::uint64_t begin, end;
  std::uint32_t protection;
  std::uint32_t shared;
  std::uint64_t offset;
  std::uint64_t path_bytes;
};
static_assert(sizeof(region_record) == 40);

enum class source_kind : std::uint32_t {
  generation = 1,                    // a file `name` of an older generation in the same directory of checkpoints
  program_file = 2,                  // a file of the program's, by its path
  // a copy of a program's file in a generation of the same directory, which ranks of a node share
  file_copy = 3,
};

struct source_record {
  std::uint32_t kind;
  std::uint32_t name_bytes;
  std::uint64_t generation;
  std::uint64_t identity;
};
static_assert(sizeof(source_record) == 24);

enum class codec : std::uint8_t {
  none = 0,
  lz4 = 1,                           // an LZ4 block
  zstd = 2,                          // a Zstandard frame
};

struct chunk_record {
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t checksum;
  std::uint32_t memory_bytes;
  std::uint32_t skipped_bytes;
  std::uint32_t unpacked_bytes;
  std::uint32_t stored_bytes;
  std::uint16_t source;
  std::uint8_t codec;
  std::uint8_t zero[5];
};
static_assert(sizeof(chunk_record) == 48);

struct trailer {
  std::uint64_t magic;
  std::uint64_t tables_offset, tables_bytes;
  std::uint64_t tables_checksum;
  std::uint64_t chunk_count;
  std::uint64_t memory_bytes;
  std::uint64_t own_bytes;
  std::uint32_t section_count, region_count, source_count;
  std::uint32_t zero;
  std::uint64_t header_checksum;
  std::uint64_t checksum;
};
static_assert(sizeof(trailer) == 88);

}  // namespace mana::image
