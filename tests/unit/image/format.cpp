// The frozen layout of an image file. Compiling this is the test: a change here is a change of format_version.
#include <mana/image/format.hpp>
#include <mana/image/format_1.hpp>

#include <type_traits>

namespace mana::image {

static_assert(format_version == 2 && oldest_format_version == 1 && chunk_bytes == 262144 && page_bytes == 4096);
static_assert(file_magic == 0x31'4547'414d'4941'4d && trailer_magic == 0x32'444e'4541'4e41'4d);

// Of every version: what a reader must know to say that it does not know the version.
static_assert(offsetof(file_header, magic) == 0 && offsetof(file_header, version) == 8);
static_assert(offsetof(file_header, layout_major) == 12 && offsetof(file_header, checksum) == 88);

static_assert(offsetof(file_header, rank) == 16 && offsetof(file_header, world_size) == 20);
static_assert(offsetof(file_header, page_bytes) == 24 && offsetof(file_header, section_count) == 28);
static_assert(offsetof(file_header, region_count) == 32 && offsetof(file_header, services_minor) == 36);
static_assert(offsetof(file_header, tables_bytes) == 40 && offsetof(file_header, tables_checksum) == 48);
static_assert(offsetof(file_header, cpu_features) == 56 && sizeof(file_header) == 96);

static_assert(offsetof(section_header, name) == 0 && offsetof(section_header, bytes) == 24);
static_assert(offsetof(region_record, begin) == 0 && offsetof(region_record, end) == 8);
static_assert(offsetof(region_record, protection) == 16 && offsetof(region_record, shared) == 20);
static_assert(offsetof(region_record, offset) == 24 && offsetof(region_record, path_bytes) == 32);

static_assert(offsetof(source_record, kind) == 0 && offsetof(source_record, name_bytes) == 4);
static_assert(offsetof(source_record, generation) == 8 && offsetof(source_record, identity) == 16);
static_assert(static_cast<int>(source_kind::generation) == 1 && static_cast<int>(source_kind::program_file) == 2);

static_assert(offsetof(chunk_record, address) == 0 && offsetof(chunk_record, offset) == 8);
static_assert(offsetof(chunk_record, checksum) == 16 && offsetof(chunk_record, memory_bytes) == 24);
static_assert(offsetof(chunk_record, skipped_bytes) == 28 && offsetof(chunk_record, unpacked_bytes) == 32);
static_assert(offsetof(chunk_record, stored_bytes) == 36 && offsetof(chunk_record, source) == 40);
static_assert(offsetof(chunk_record, codec) == 42 && sizeof(chunk_record) == 48);
static_assert(static_cast<int>(codec::none) == 0 && static_cast<int>(codec::lz4) == 1 &&
              static_cast<int>(codec::zstd) == 2);

static_assert(offsetof(trailer, magic) == 0 && offsetof(trailer, tables_offset) == 8);
static_assert(offsetof(trailer, tables_bytes) == 16 && offsetof(trailer, tables_checksum) == 24);
static_assert(offsetof(trailer, chunk_count) == 32 && offsetof(trailer, memory_bytes) == 40);
static_assert(offsetof(trailer, own_bytes) == 48 && offsetof(trailer, section_count) == 56);
static_assert(offsetof(trailer, region_count) == 60 && offsetof(trailer, source_count) == 64);
static_assert(offsetof(trailer, header_checksum) == 72 && offsetof(trailer, checksum) == 80 && sizeof(trailer) == 88);

static_assert(offsetof(format_1::chunk_header, address) == 0 && offsetof(format_1::chunk_header, memory_bytes) == 8);
static_assert(offsetof(format_1::chunk_header, stored_bytes) == 12 && offsetof(format_1::chunk_header, checksum) == 16);
static_assert(offsetof(format_1::trailer, magic) == 0 && offsetof(format_1::trailer, chunk_count) == 8);
static_assert(offsetof(format_1::trailer, memory_bytes) == 16 && offsetof(format_1::trailer, chunks_checksum) == 24);

static_assert(std::is_trivially_copyable_v<file_header> && std::is_trivially_copyable_v<section_header> &&
              std::is_trivially_copyable_v<region_record> && std::is_trivially_copyable_v<source_record> &&
              std::is_trivially_copyable_v<chunk_record> && std::is_trivially_copyable_v<trailer>);

}  // namespace mana::image
