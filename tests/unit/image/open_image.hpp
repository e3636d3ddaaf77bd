// An image taken apart, to be changed and sealed again with the right checksums: what no damage would do, but an attacker.
#pragma once
#include <mana/image/format.hpp>

#include <xxhash.h>

#include <cstddef>
#include <cstring>
#include <string>

struct open_image {
  mana::image::file_header header{};
  mana::image::trailer end{};
  std::string chunks, tables;      // chunks: from the header's end on, with the zeros between

  explicit open_image(const std::string& bytes) {
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(&end, bytes.data() + bytes.size() - sizeof end, sizeof end);
    chunks = bytes.substr(sizeof header, end.tables_offset - sizeof header);
    tables = bytes.substr(end.tables_offset, end.tables_bytes);
  }

  /// The record at `at` in the tables.
  template <class T>
  T& record(std::size_t at) {
    return *reinterpret_cast<T*>(tables.data() + at);
  }
  mana::image::chunk_record& chunk(std::size_t i) {
    return record<mana::image::chunk_record>(tables.size() - (end.chunk_count - i) * sizeof(mana::image::chunk_record));
  }

  std::string sealed() {
    header.checksum = XXH3_64bits(&header, offsetof(mana::image::file_header, checksum));
    end.header_checksum = header.checksum;
    end.tables_bytes = tables.size();
    end.tables_checksum = XXH3_64bits(tables.data(), tables.size());
    end.checksum = XXH3_64bits(&end, offsetof(mana::image::trailer, checksum));
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes += chunks + tables;
    return bytes.append(reinterpret_cast<const char*>(&end), sizeof end);
  }
};
