// Describes each byte of an image's records. mana-image-format prints docs/image-format.md from these tables, and from
// the table of the sections.
#pragma once
#include <mana/image/format.hpp>
#include <mana/image/section_table.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace mana::image {

struct field_row {
  std::string_view name;
  std::size_t offset, bytes;
  std::string_view meaning;
};

struct record_row {
  std::string_view name, meaning;
  std::size_t bytes;
  std::span<const field_row> fields;      // ascending, without holes
};

namespace tables {

#define MANA_FIELD(record, member, meaning) \
  field_row { #member, offsetof(record, member), sizeof(record::member), meaning }

inline constexpr field_row header_fields[] = {
    MANA_FIELD(file_header, magic, "the text MAIMAGE1"),
    MANA_FIELD(file_header, version, "of this format"),
    MANA_FIELD(file_header, layout_major, "of the boundary between program and lower half (include/mana/lower/version.hpp)"),
    MANA_FIELD(file_header, rank, "in MPI_COMM_WORLD"),
    MANA_FIELD(file_header, world_size, "ranks of the job"),
    MANA_FIELD(file_header, page_bytes, "4096"),
    MANA_FIELD(file_header, section_count, "version 1; else 0: the trailer has it"),
    MANA_FIELD(file_header, region_count, "version 1; else 0: the trailer has it"),
    MANA_FIELD(file_header, services_minor, "of the lower half that wrote it: one of the same major with this minor, or a later one, restarts it"),
    MANA_FIELD(file_header, tables_bytes, "version 1: of sections and regions; else 0"),
    MANA_FIELD(file_header, tables_checksum, "version 1: XXH3-64 over them; else 0"),
    MANA_FIELD(file_header, cpu_features, "bits of runtime/image/format/processor.hpp: the processor must have each that is set"),
    MANA_FIELD(file_header, checksum, "XXH3-64 over the members before it"),
};

inline constexpr field_row section_fields[] = {
    MANA_FIELD(section_header, name, "padded with zeros"),
    MANA_FIELD(section_header, bytes, "that follow"),
};

inline constexpr field_row region_fields[] = {
    MANA_FIELD(region_record, begin, "address, whole pages"),
    MANA_FIELD(region_record, end, "address behind it, whole pages"),
    MANA_FIELD(region_record, protection, "PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4"),
    MANA_FIELD(region_record, shared, "1: MAP_SHARED"),
    MANA_FIELD(region_record, offset, "bytes, in the file of the path"),
    MANA_FIELD(region_record, path_bytes, "of the path that follows; 0: anonymous memory"),
};

inline constexpr field_row source_fields[] = {
    MANA_FIELD(source_record, kind, "1: image of an older generation in the same directory of checkpoints; 2: file of the program's; 3: copy of one, in a "
               "generation of the same directory"),
    MANA_FIELD(source_record, name_bytes, "of the name that follows: a file's without directory, or (2) a path"),
    MANA_FIELD(source_record, generation, "its number; (2) 0"),
    MANA_FIELD(source_record, identity, "checksum of that image's trailer; (2, 3) XXH3-64 of the build id"),
};

inline constexpr field_row chunk_fields[] = {
    MANA_FIELD(chunk_record, address, "of the memory that it gives"),
    MANA_FIELD(chunk_record, offset, "of the stored bytes in their file; not compressed: whole pages"),
    MANA_FIELD(chunk_record, checksum,
               "XXH3-64 over the unpacked bytes; compressed: over the stored ones, with that value as its seed"),
    MANA_FIELD(chunk_record, memory_bytes, "that it gives, whole pages"),
    MANA_FIELD(chunk_record, skipped_bytes, "of the unpacked bytes, before them"),
    MANA_FIELD(chunk_record, unpacked_bytes, "at most 262144"),
    MANA_FIELD(chunk_record, stored_bytes, "not compressed: unpacked_bytes; else fewer"),
    MANA_FIELD(chunk_record, source, "0: this file; n: the file of the n-th source record"),
    MANA_FIELD(chunk_record, codec, "0: stored as it is; 1: an LZ4 block; 2: a Zstandard frame"),
    MANA_FIELD(chunk_record, zero, "0"),
};

inline constexpr field_row trailer_fields[] = {
    MANA_FIELD(trailer, magic, "the text MANAEND2"),
    MANA_FIELD(trailer, tables_offset, "of the tables in the file"),
    MANA_FIELD(trailer, tables_bytes, "up to the trailer"),
    MANA_FIELD(trailer, tables_checksum, "XXH3-64 over them"),
    MANA_FIELD(trailer, chunk_count, "records"),
    MANA_FIELD(trailer, memory_bytes, "that the chunks give"),
    MANA_FIELD(trailer, own_bytes, "of chunks that are stored in this file"),
    MANA_FIELD(trailer, section_count, "records"),
    MANA_FIELD(trailer, region_count, "records"),
    MANA_FIELD(trailer, source_count, "records"),
    MANA_FIELD(trailer, zero, "0"),
    MANA_FIELD(trailer, header_checksum, "of the file's header"),
    MANA_FIELD(trailer, checksum, "XXH3-64 over the members before it"),
};

#undef MANA_FIELD

}  // namespace tables

inline constexpr record_row record_table[] = {
    {"file_header", "at the beginning of the file; zeros follow, up to a page", sizeof(file_header), tables::header_fields},
    {"section_header", "before each section's bytes", sizeof(section_header), tables::section_fields},
    {"region_record", "a mapping of the program's memory, ascending by address; its path follows", sizeof(region_record),
     tables::region_fields},
    {"source_record", "another file that has chunks; its name follows", sizeof(source_record), tables::source_fields},
    {"chunk_record", "a piece of the memory, ascending by address", sizeof(chunk_record), tables::chunk_fields},
    {"trailer", "the end of the file", sizeof(trailer), tables::trailer_fields},
};

namespace tables {

constexpr bool has_no_holes(const record_row& record) noexcept {
  std::size_t at = 0;
  for (const field_row& field : record.fields) {
    if (field.offset != at) return false;
    at += field.bytes;
  }
  return at == record.bytes;
}

constexpr bool all_have_no_holes() noexcept {
  for (const record_row& record : record_table)
    if (!has_no_holes(record)) return false;
  return true;
}
static_assert(all_have_no_holes());

}  // namespace tables
}  // namespace mana::image
