// Checksums of an image put right after its bytes were changed: else they would stop the fuzzer at the door.
#pragma once
#include <runtime/image/format/checksum.hpp>
#include <runtime/image/format/packing.hpp>

#include <mana/image/format.hpp>
#include <mana/image/format_1.hpp>

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sealing {

using bytes = std::vector<std::uint8_t>;
using namespace mana::image;

template <class T>
T get(const bytes& from, std::size_t at) {
  T value{};
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}
template <class T>
void set(bytes& into, std::size_t at, const T& value) { std::memcpy(into.data() + at, &value, sizeof value); }

inline bool has(const bytes& file, std::uint64_t at, std::uint64_t n) { return at <= file.size() && n <= file.size() - at; }

inline std::uint64_t sum_of(const bytes& file, std::uint64_t at, std::uint64_t n) { return XXH3_64bits(file.data() + at, n); }

inline void seal_header(bytes& file) {
  auto h = get<file_header>(file, 0);
  h.magic = file_magic;
  h.checksum = XXH3_64bits(&h, offsetof(file_header, checksum));
  set(file, 0, h);
}

/// Of a chunk of this file that can be unpacked.
inline void seal_chunk(const bytes& file, chunk_record& r) {
  if (r.source != 0 || r.unpacked_bytes > chunk_bytes || !has(file, r.offset, r.stored_bytes)) return;
  const char* const stored = reinterpret_cast<const char*>(file.data() + r.offset);
  std::vector<char> memory(r.unpacked_bytes);
  if (static_cast<codec>(r.codec) == codec::none) {
    if (r.stored_bytes == r.unpacked_bytes) r.checksum = chunk_checksum(stored, r.stored_bytes, stored, r.stored_bytes);
  } else if (unpack(static_cast<codec>(r.codec), stored, r.stored_bytes, memory.data(), memory.size())) {
    r.checksum = chunk_checksum(memory.data(), memory.size(), stored, r.stored_bytes);
  }
}

/// Their records are the tables' end. The trailer's sums of them are put right too.
inline void seal_chunks(bytes& file, trailer& t) {
  if (t.chunk_count > t.tables_bytes / sizeof(chunk_record)) return;
  t.memory_bytes = 0;
  for (std::uint64_t at = t.tables_offset + t.tables_bytes - t.chunk_count * sizeof(chunk_record);
       at < t.tables_offset + t.tables_bytes; at += sizeof(chunk_record)) {
    auto r = get<chunk_record>(file, at);
    seal_chunk(file, r);
    t.memory_bytes += r.memory_bytes;
    set(file, at, r);
  }
}

inline void seal_2(bytes& file) {
  seal_header(file);
  const std::size_t at = file.size() - sizeof(trailer);
  auto t = get<trailer>(file, at);
  t.magic = trailer_magic;
  t.zero = 0;
  t.header_checksum = get<file_header>(file, 0).checksum;
  if (t.tables_offset <= at) {
    t.tables_bytes = at - t.tables_offset;
    seal_chunks(file, t);
    t.tables_checksum = sum_of(file, t.tables_offset, t.tables_bytes);
  }
  t.checksum = XXH3_64bits(&t, offsetof(trailer, checksum));
  set(file, at, t);
}

inline chunk_record record_of(const format_1::chunk_header& c, std::uint64_t at) {
  const codec how = c.stored_bytes == c.memory_bytes ? codec::none : codec::lz4;
  return {c.address, at, c.checksum, c.memory_bytes, 0, c.memory_bytes, c.stored_bytes, 0, static_cast<std::uint8_t>(how), {}};
}

inline void seal_1(bytes& file) {
  auto h = get<file_header>(file, 0);
  if (!has(file, sizeof h, h.tables_bytes)) return seal_header(file);
  h.tables_checksum = sum_of(file, sizeof h, h.tables_bytes);
  set(file, 0, h);
  seal_header(file);
  format_1::trailer end{format_1::trailer_magic, 0, 0, 0};
  checksum_state headers;
  const std::uint64_t header_checksum = get<file_header>(file, 0).checksum;
  headers.add(&header_checksum, sizeof header_checksum);
  std::uint64_t at = sizeof h + h.tables_bytes;
  for (; has(file, at, sizeof(format_1::chunk_header)); ++end.chunk_count) {
    auto c = get<format_1::chunk_header>(file, at);
    if (c.address == format_1::trailer_magic) break;
    chunk_record r = record_of(c, at + sizeof c);
    seal_chunk(file, r);
    c.checksum = r.checksum;
    set(file, at, c);
    headers.add(&c, sizeof c);
    end.memory_bytes += c.memory_bytes;
    at += sizeof c + c.stored_bytes;
  }
  end.chunks_checksum = headers.digest();
  if (has(file, at, sizeof end)) set(file, at, end);
}

/// As a writer would that had these bytes.
inline void seal(bytes& file) {
  if (file.size() < sizeof(file_header) + sizeof(trailer)) return;
  if (get<file_header>(file, 0).version == 1) seal_1(file);
  else seal_2(file);
}

}  // namespace sealing
