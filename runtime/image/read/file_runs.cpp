#include <runtime/image/read/file_runs.hpp>

#include <algorithm>
#include <iterator>

namespace mana::image {

namespace {

std::size_t bytes_of(const file_run& run) noexcept { return run.memory.end - run.memory.begin; }

bool is_as_it_is(const chunk_record& c) noexcept {
  return static_cast<codec>(c.codec) == codec::none && (c.offset + c.skipped_bytes) % page_bytes == 0;
}

bool is_in_program_file(const contents& image, const chunk_record& c) noexcept {
  return c.source != 0 && image.sources[c.source - 1u].kind == source_kind::program_file;
}

bool goes_on(const file_run& before, const file_run& next) noexcept {
  return before.memory.end == next.memory.begin && before.source == next.source &&
         before.offset + bytes_of(before) == next.offset;
}

/// takes: (region, chunk) → bool
template <class Takes>
std::vector<file_run> joined_runs(const contents& image, Takes&& takes) {
  std::vector<file_run> runs;
  std::size_t at = 0, joinable = 0;            // runs before it belong to other regions
  for (const chunk_record& c : image.chunks) {
    for (; image.regions[at].end <= c.address; ++at) joinable = runs.size();
    const region& r = image.regions[at];
    if (r.shared || !is_as_it_is(c) || !takes(r, c)) continue;
    const file_run next{{c.address, c.address + c.memory_bytes}, c.source, c.offset + c.skipped_bytes};
    if (runs.size() > joinable && goes_on(runs.back(), next)) runs.back().memory.end = next.memory.end;
    else runs.push_back(next);
  }
  return runs;
}

void leave_out_below(std::size_t least, std::vector<file_run>& runs) {
  std::erase_if(runs, [least](const file_run& run) { return bytes_of(run) < least; });
}

}  // namespace

std::vector<file_run> file_runs(const contents& image, const std::function<bool(const region&)>& may_be_lazy,
                                std::size_t most) {
  std::vector<file_run> runs = joined_runs(image, [&](const region& r, const chunk_record&) { return may_be_lazy(r); });
  for (std::size_t least = least_run_bytes;; least *= 2) {
    leave_out_below(least, runs);
    if (runs.size() <= most) return runs;
  }
}

std::vector<file_run> whole_runs(const contents& image) {
  std::vector<file_run> runs = joined_runs(
      image, [&image](const region&, const chunk_record& c) {
        return c.memory_bytes == c.unpacked_bytes && !is_in_program_file(image, c);
      });
  leave_out_below(least_run_bytes, runs);
  return runs;
}

}  // namespace mana::image
