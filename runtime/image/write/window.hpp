// A piece of the program's memory on its way into an image: copied, judged, packed.
#pragma once
#include <runtime/image/format/regions.hpp>
#include <runtime/image/origins/program_files.hpp>

#include <mana/image/format.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::image {

inline constexpr std::size_t pages_per_window = chunk_bytes / page_bytes;

/// The treatment of a page.
enum class page : std::uint8_t { nothing, kept, referred, stored };

struct window {
  /// Pages that become a chunk.
  struct run {
    std::uint32_t at, bytes;         // in the window
    bool tried;                      // the packer must try it
    std::uint32_t packed_bytes;      // 0: stored unpacked
    std::uint64_t checksum;          // as chunk_record::checksum
  };

  const region* of = nullptr;
  std::uintptr_t begin = 0;
  std::size_t pages = 0;
  page what[pages_per_window];
  program_files::place where[pages_per_window];   // of the pages that the image refers to
  run runs[pages_per_window / 2];                 // ascending; between two of them is another page
  unsigned run_count = 0;
  char* memory = nullptr;            // copy of the pages, chunk_bytes
  char* packed = nullptr;            // runs, each at its place: chunk_bytes, or nullptr if nobody packs into it

  const char* memory_of(const run& r) const noexcept { return memory + r.at; }
  char* packed_of(const run& r) const noexcept { return packed + r.at; }
};

}  // namespace mana::image
