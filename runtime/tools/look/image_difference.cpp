#include <runtime/tools/look/image_difference.hpp>

#include <mana/image/section_table.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace mana::tools {

std::uint64_t region_difference::bytes() const noexcept {
  if (where != presence::both) return at.bytes();
  return std::accumulate(pages.begin(), pages.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const address_range& r) { return sum + r.bytes(); });
}

std::uint64_t image_difference::differing_bytes() const noexcept {
  return std::accumulate(regions.begin(), regions.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const region_difference& r) { return sum + r.bytes(); });
}

namespace {

constexpr std::uintptr_t never = ~std::uintptr_t{0};

void add_range(std::vector<address_range>& ranges, address_range r) {
  if (!ranges.empty() && ranges.back().end == r.begin) ranges.back().end = r.end;
  else ranges.push_back(r);
}

/// Walks over one image's chunks in ascending order.
class chunk_walk {
 public:
  explicit chunk_walk(const saved_memory& memory) : memory_(memory) {}

  void go_to(std::uintptr_t at) noexcept {
    const auto& chunks = memory_.about().chunks;
    at_ = at;
    while (n_ < chunks.size() && chunks[n_].address + chunks[n_].memory_bytes <= at) ++n_;
  }
  /// The record of the memory at the position; nullptr: zeros.
  const image::chunk_record* record() const noexcept { return is_inside() ? &chunk() : nullptr; }
  /// The first address after the position with another record.
  std::uintptr_t limit() const noexcept {
    if (n_ == memory_.about().chunks.size()) return never;
    return is_inside() ? chunk().address + chunk().memory_bytes : chunk().address;
  }
  /// The position's offset in the unpacked chunk.
  std::uint64_t within() const noexcept { return at_ - chunk().address + chunk().skipped_bytes; }
  /// Memory from the position to the limit; nullptr: zeros.  errors: image_error
  const char* bytes(std::uint64_t& read_bytes) {
    if (!is_inside()) return nullptr;
    if (read_ != n_) read_bytes += chunk().memory_bytes;
    read_ = n_;
    return memory_.chunk(n_).data() + (at_ - chunk().address);
  }

 private:
  const image::chunk_record& chunk() const noexcept { return memory_.about().chunks[n_]; }
  bool is_inside() const noexcept { return n_ < memory_.about().chunks.size() && chunk().address <= at_; }

  const saved_memory& memory_;
  std::size_t n_ = 0, read_ = never;
  std::uintptr_t at_ = 0;
};

/// True if the index alone shows that the two images have the same memory there.
bool is_same(const chunk_walk& a, const chunk_walk& b) noexcept {
  const image::chunk_record *x = a.record(), *y = b.record();
  if (x == nullptr || y == nullptr) return x == y;
  return x->checksum == y->checksum && x->codec == y->codec && x->unpacked_bytes == y->unpacked_bytes &&
         x->stored_bytes == y->stored_bytes && a.within() == b.within();
}

bool is_same_page(const char* a, const char* b, std::size_t offset) noexcept {
  static constexpr std::array<char, image::page_bytes> zeros{};
  return std::memcmp(a == nullptr ? zeros.data() : a + offset, b == nullptr ? zeros.data() : b + offset,
                     image::page_bytes) == 0;
}

class comparison {
 public:
  comparison(const saved_memory& first, const saved_memory& second, const std::function<void(std::uint64_t)>& passed)
      : first_(first), second_(second), passed_(passed), a_(first), b_(second), first_kinds_(identify(first, threads_of(first))),
        second_kinds_(identify(second, threads_of(second))) {}

  image_difference run() {
    result_.rank = first_.about().header.rank;
    result_.first = first_.path();
    result_.second = second_.path();
    compare_sections();
    compare_regions();
    return std::move(result_);
  }

 private:
  /// The section "saving" says how the image was written, which is no difference of contents.
  static bool is_of_the_program(const image::section& s) { return s.name != image::sections::saving; }

  void compare_sections() {
    for (const image::section& s : first_.about().sections) {
      if (!is_of_the_program(s)) continue;
      const image::section* const other = second_.section(s.name);
      if (other == nullptr) result_.sections.push_back({s.name, presence::first_only});
      else if (other->bytes != s.bytes) result_.sections.push_back({s.name, presence::both});
    }
    for (const image::section& s : second_.about().sections)
      if (is_of_the_program(s) && first_.section(s.name) == nullptr) result_.sections.push_back({s.name, presence::second_only});
  }

  /// Cuts the address space at the borders of both images' regions.
  void compare_regions() {
    const auto &ours = first_.about().regions, &theirs = second_.about().regions;
    std::size_t i = 0, j = 0;
    for (std::uintptr_t at = 0; i < ours.size() || j < theirs.size();) {
      const std::uintptr_t our_begin = i < ours.size() ? std::max(ours[i].begin, at) : never;
      const std::uintptr_t their_begin = j < theirs.size() ? std::max(theirs[j].begin, at) : never;
      const std::uintptr_t begin = std::min(our_begin, their_begin);
      const bool in_ours = our_begin == begin, in_theirs = their_begin == begin;
      std::uintptr_t end = std::min(in_ours ? ours[i].end : our_begin, in_theirs ? theirs[j].end : their_begin);
      if (in_ours && in_theirs) compare_memory({begin, end}, i, j);
      else if (in_ours) add({{begin, end}, first_kinds_[i], presence::first_only, false, {}});
      else add({{begin, end}, second_kinds_[j], presence::second_only, false, {}});
      at = end;
      if (i < ours.size() && ours[i].end <= at) ++i;
      if (j < theirs.size() && theirs[j].end <= at) ++j;
    }
  }

  void compare_memory(address_range r, std::size_t i, std::size_t j) {
    const image::region &x = first_.about().regions[i], &y = second_.about().regions[j];
    region_difference found{r, first_kinds_[i], presence::both, false, {}};
    found.mapped_otherwise = x.protection != y.protection || x.shared != y.shared || x.path != y.path;
    result_.compared_bytes += r.bytes();
    for (std::uintptr_t at = r.begin; at < r.end;) {
      a_.go_to(at);
      b_.go_to(at);
      const std::uintptr_t end = std::min({r.end, a_.limit(), b_.limit()});
      if (!is_same(a_, b_)) compare_pages({at, end}, found.pages);
      if (a_.record() != nullptr) passed_(end - at);
      at = end;
    }
    if (found.mapped_otherwise || !found.pages.empty()) add(std::move(found));
  }

  void compare_pages(address_range r, std::vector<address_range>& differing) {
    const char* const x = a_.bytes(result_.read_bytes);
    const char* const y = b_.bytes(result_.read_bytes);
    for (std::uint64_t offset = 0; offset < r.bytes(); offset += image::page_bytes)
      if (!is_same_page(x, y, offset))
        add_range(differing, {r.begin + offset, r.begin + offset + image::page_bytes});
  }

  void add(region_difference difference) { result_.regions.push_back(std::move(difference)); }

  const saved_memory &first_, &second_;
  const std::function<void(std::uint64_t)>& passed_;
  chunk_walk a_, b_;
  std::vector<region_identity> first_kinds_, second_kinds_;
  image_difference result_;
};

}  // namespace

image_difference compare(const saved_memory& first, const saved_memory& second,
                         const std::function<void(std::uint64_t)>& passed) {
  return comparison(first, second, passed).run();
}

}  // namespace mana::tools
