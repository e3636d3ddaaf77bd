// Which memory of an image lies in files as it is, so that it can be mapped instead of read.
#pragma once
#include <runtime/image/format/contents.hpp>

#include <functional>
#include <vector>

namespace mana::image {

struct file_run {
  page_range memory;
  std::uint16_t source;              // as chunk_record::source
  std::uint64_t offset;              // bytes, whole pages, in that file
};

/// Pieces below this are read sooner than they are mapped.
inline constexpr std::size_t least_run_bytes = 64u << 10;
/// Of the kernel's mappings (vm.max_map_count: 65530 by default) that these may take.
inline constexpr std::size_t most_runs = 16384;

/// Ascending. Runs of private memory, none beyond its region; if there are too many, the greatest.
/// may_be_lazy: of regions
std::vector<file_run> file_runs(const contents& image, const std::function<bool(const region&)>& may_be_lazy,
                                std::size_t most = most_runs);

/// The same of whole chunks of all private regions, however many: their checksums can be compared where they stand.
std::vector<file_run> whole_runs(const contents& image);

}  // namespace mana::image
