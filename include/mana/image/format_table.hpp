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
    MANA_FIELD(file_header, layout_major, "of the boundary between the halves (include/mana/lower/version.hpp)"),
    MANA_FIELD(file_header, rank, "in MPI_COMM_WORLD"),
    MANA_FIELD(file_header, world_size, "ranks of the job"),
    MANA_FIELD(file_header, page_bytes, "4096"),
    MANA_FIELD(file_header, section_count, "version 1: number of them; version 2: 0, the trailer has it"),
    MANA_FIELD(file_header, region_count, "version 1: number of them; version 2: 0, the trailer has it"),
    MANA_FIELD(file_header, services_minor, "of the lower half that wrote the image: a lower half of the same major restarts it from this minor on"),
    MANA_FIELD(file_header, tables_bytes, "version 1: bytes of sections and regions; version 2: 0"),
    MANA_FIELD(file_header, tables_checksum, "version 1: XXH3-64 over them; version 2: 0"),
    MANA_FIELD(file_header, cpu_features, "bits of runtime/image/format/processor.hpp: a processor must have every feature whose bit is set"),
    MANA_FIELD(file_header, checksum, "XXH3-64 over the members before it"),
};

inline constexpr field_row section_fields[] = {
    MANA_FIELD(section_header, name, "of the section, padded with zeros"),
    MANA_FIELD(section_header, bytes, "bytes that follow"),
};

inline constexpr field_row region_fields[] = {
    MANA_FIELD(region_record, begin, "first address, on a whole page"),
    MANA_FIELD(region_record, end, "address behind the region, on a whole page"),
    MANA_FIELD(region_record, protection, "PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4"),
    MANA_FIELD(region_record, shared, "1: mapped with MAP_SHARED; else 0"),
    MANA_FIELD(region_record, offset, "in the file of the path, in bytes"),
    MANA_FIELD(region_record, path_bytes, "length of the path that follows; 0: anonymous memory"),
};

inline constexpr field_row source_fields[] = {
    MANA_FIELD(source_record, kind, "1: image of an older generation in the same checkpoint directory; 2: file of the program; 3: copy of such a file, "
               "in a generation of the same directory"),
    MANA_FIELD(source_record, name_bytes, "length of the name that follows: a file name without a directory; for kind 2, a path"),
    MANA_FIELD(source_record, generation, "number of its generation; for kind 2, 0"),
    MANA_FIELD(source_record, identity, "checksum of that image's trailer; for kinds 2 and 3, XXH3-64 of the build id"),
};

inline constexpr field_row chunk_fields[] = {
    MANA_FIELD(chunk_record, address, "of the memory that the record describes"),
    MANA_FIELD(chunk_record, offset, "of the stored bytes in their file; uncompressed: on a whole page"),
    MANA_FIELD(chunk_record, checksum,
               "XXH3-64 over the unpacked bytes; compressed: over the stored bytes, with that value as the seed"),
    MANA_FIELD(chunk_record, memory_bytes, "bytes of memory that the record describes, whole pages"),
    MANA_FIELD(chunk_record, skipped_bytes, "unpacked bytes that a reader leaves out before them"),
    MANA_FIELD(chunk_record, unpacked_bytes, "at most 262144"),
    MANA_FIELD(chunk_record, stored_bytes, "uncompressed: equal to unpacked_bytes; compressed: fewer"),
    MANA_FIELD(chunk_record, source, "0: this file; n: the file of the nth source record"),
    MANA_FIELD(chunk_record, codec, "0: uncompressed; 1: an LZ4 block; 2: a Zstandard frame"),
    MANA_FIELD(chunk_record, zero, "0"),
};

inline constexpr field_row trailer_fields[] = {
    MANA_FIELD(trailer, magic, "the text MANAEND2"),
    MANA_FIELD(trailer, tables_offset, "of the tables in the file"),
    MANA_FIELD(trailer, tables_bytes, "length of the tables, up to the trailer"),
    MANA_FIELD(trailer, tables_checksum, "XXH3-64 over the tables"),
    MANA_FIELD(trailer, chunk_count, "number of chunk records"),
    MANA_FIELD(trailer, memory_bytes, "bytes of memory that the chunk records describe"),
    MANA_FIELD(trailer, own_bytes, "bytes of chunks in this file"),
    MANA_FIELD(trailer, section_count, "number of sections"),
    MANA_FIELD(trailer, region_count, "number of region records"),
    MANA_FIELD(trailer, source_count, "number of source records"),
    MANA_FIELD(trailer, zero, "0"),
    MANA_FIELD(trailer, header_checksum, "checksum of the file's header"),
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
