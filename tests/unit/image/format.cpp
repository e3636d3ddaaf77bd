// The frozen layout of an image file. Compiling this is the test: a change here is a change of format_version.
#include <mana/image/format.hpp>

#include <type_traits>

namespace mana::image {

static_assert(format_version == 1 && chunk_bytes == 262144);
static_assert(file_magic == 0x31'4547'414d'4941'4d && trailer_magic == 0x31'444e'4541'4e41'4d);

// Of every version: what a reader must know to say that it does not know the version.
static_assert(offsetof(file_header, magic) == 0 && offsetof(file_header, version) == 8);
static_assert(offsetof(file_header, abi_version) == 12 && offsetof(file_header, checksum) == 88);

static_assert(offsetof(file_header, rank) == 16 && offsetof(file_header, world_size) == 20);
static_assert(offsetof(file_header, page_bytes) == 24 && offsetof(file_header, section_count) == 28);
static_assert(offsetof(file_header, region_count) == 32 && offsetof(file_header, reserved) == 36);
static_assert(offsetof(file_header, tables_bytes) == 40 && offsetof(file_header, tables_checksum) == 48);
static_assert(offsetof(file_header, cpu_features) == 56 && sizeof(file_header) == 96);

static_assert(offsetof(section_header, name) == 0 && offsetof(section_header, bytes) == 24);
static_assert(offsetof(region_record, begin) == 0 && offsetof(region_record, end) == 8);
static_assert(offsetof(region_record, protection) == 16 && offsetof(region_record, shared) == 20);
static_assert(offsetof(region_record, offset) == 24 && offsetof(region_record, path_bytes) == 32);
static_assert(offsetof(chunk_header, address) == 0 && offsetof(chunk_header, memory_bytes) == 8);
static_assert(offsetof(chunk_header, stored_bytes) == 12 && offsetof(chunk_header, checksum) == 16);
static_assert(offsetof(trailer, magic) == 0 && offsetof(trailer, chunk_count) == 8);
static_assert(offsetof(trailer, memory_bytes) == 16 && offsetof(trailer, chunks_checksum) == 24);

static_assert(std::is_trivially_copyable_v<file_header> && std::is_trivially_copyable_v<section_header> &&
              std::is_trivially_copyable_v<region_record> && std::is_trivially_copyable_v<chunk_header> &&
              std::is_trivially_copyable_v<trailer>);

}  // namespace mana::image
