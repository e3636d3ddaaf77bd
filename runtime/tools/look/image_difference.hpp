// The differences between two images: sections, regions, pages.
#pragma once
#include <runtime/tools/memory/memory_kinds.hpp>
#include <runtime/tools/memory/saved_memory.hpp>
#include <runtime/tools/options/address_range.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace mana::tools {

enum class presence { both, first_only, second_only };

struct section_difference {
  std::string name;
  presence where = presence::both;
};

/// A difference in a region of the first image, in a region that only the second has, or in a part that one of them
/// has.
struct region_difference {
  address_range at;
  region_identity what;
  presence where = presence::both;
  bool mapped_otherwise = false;         // protection, file, or kind of mapping differ
  std::vector<address_range> pages;      // in both, with different contents: whole pages, ascending, neighbours joined
  std::uint64_t bytes() const noexcept;  // that differ; if only one image has the region: all
};

struct image_difference {
  std::uint32_t rank = 0;
  std::string first, second;             // paths
  std::vector<section_difference> sections;
  std::vector<region_difference> regions;
  std::uint64_t compared_bytes = 0;      // of memory that both have
  std::uint64_t read_bytes = 0;          // of chunks that were read for the comparison, in both files
  std::uint64_t differing_bytes() const noexcept;
  bool is_none() const noexcept { return sections.empty() && regions.empty(); }
};

/// Chunks with equal checksums are equal, and are not read.
/// in:     passed  called with the bytes of the first image's memory that are done
/// errors: files::image_error
image_difference compare(const saved_memory& first, const saved_memory& second,
                         const std::function<void(std::uint64_t)>& passed = [](std::uint64_t) {});

/// in: pages  print a line for every range of pages
std::string as_text(const image_difference& difference, bool pages);
nlohmann::ordered_json as_json(const image_difference& difference);

}  // namespace mana::tools
