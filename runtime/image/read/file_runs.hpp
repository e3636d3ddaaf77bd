// The memory of an image that files hold unpacked, so that it can be mapped instead of read.
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

/// Smaller pieces are faster to read than to map.
inline constexpr std::size_t least_run_bytes = 64u << 10;
/// Number of the kernel's mappings (vm.max_map_count: 65530 by default) that runs may take.
inline constexpr std::size_t most_runs = 16384;

/// Runs of private memory, ascending, each within one region. If there are too many, the largest.
/// in: may_be_lazy  of regions
std::vector<file_run> file_runs(const contents& image, const std::function<bool(const region&)>& may_be_lazy,
                                std::size_t most = most_runs);

/// All runs of whole chunks in private regions, without a limit: their checksums can be compared in place.
std::vector<file_run> whole_runs(const contents& image);

}  // namespace mana::image
