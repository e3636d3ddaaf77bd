// The contents of an image file except its memory, checked.
#pragma once
#include <runtime/files/image_error.hpp>
#include <runtime/image/format/regions.hpp>

#include <mana/image/format.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::image {

struct section {
  std::string name;                  // at most 23 bytes
  std::vector<std::uint8_t> bytes;
};

/// Another file that holds chunks.
struct source {
  source_kind kind = source_kind::generation;
  std::uint64_t generation = 0;      // number; program_file: 0
  std::uint64_t identity = 0;        // see source_record
  std::string name;                  // of the file, without directory; program_file: its path
  bool operator==(const source&) const = default;
};

struct contents {
  file_header header{};
  std::vector<section> sections;
  std::vector<region> regions;       // ascending, none overlaps another
  std::vector<source> sources;       // sources[n - 1] is a record's source n
  std::vector<chunk_record> chunks;  // ascending, within regions, none overlaps another
  std::uint64_t memory_bytes = 0;    // given by chunks
  std::uint64_t own_bytes = 0;       // taken by chunks in this file
  std::uint64_t chunks_begin = 0, chunks_end = 0;   // where in the file chunks can be
  std::uint64_t identity = 0;        // checksum of the trailer: tells this image from every other
};

/// Reads and checks all but the memory. Versions oldest_format_version … format_version.
/// in:     path  for errors alone
/// errors: image_error (damaged, version, io)
contents read_contents(int fd, const std::string& path);

/// Other generations that an image of generation `own` refers to, ascending.
std::vector<std::uint64_t> builds_on(const std::vector<source>& sources, std::uint64_t own);

/// Whether files of the program hold a part of its memory.
bool refers_to_program_files(const contents& image) noexcept;

/// As contents::identity, without reading the tables.     errors: image_error (damaged, io)
std::uint64_t read_identity(int fd, const std::string& path);

[[noreturn]] void throw_damaged(const std::string& path, const std::string& what);

}  // namespace mana::image
