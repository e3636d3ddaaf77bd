#include <runtime/image/read/first_use.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

namespace mana::image {

namespace {

constexpr int madv_collapse = 25;        // MADV_COLLAPSE, Linux 6.1

/// If an administrator has switched huge pages off (never), MADV_COLLAPSE would still make them.
bool are_huge_pages_on() {
  std::string choice;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), choice);
  return choice.find("[always]") != std::string::npos || choice.find("[madvise]") != std::string::npos;
}

}  // namespace

first_use::first_use(const contents& image) {
  if (!are_huge_pages_on()) return;
  std::size_t at = 0;
  const region* of = nullptr;
  page_range held{};
  for (const chunk_record& c : image.chunks) {
    while (image.regions[at].end <= c.address) ++at;       // chunks and regions ascend
    const region& r = image.regions[at];
    if (r.shared) continue;
    if (of != &r || held.end != c.address) {
      add(held);
      held.begin = c.address;
    }
    of = &r;
    held.end = c.address + c.memory_bytes;
  }
  add(held);
}

void first_use::add(const page_range& held) {
  const std::uintptr_t end = held.end / huge_bytes * huge_bytes;
  for (std::uintptr_t at = (held.begin + huge_bytes - 1) / huge_bytes * huge_bytes; at < end; at += stretch_bytes)
    huge_.push_back({at, std::min(end, at + stretch_bytes)});
}

/// The kernel replaces existing small pages, and needs at least one. Memory with advice against huge pages, and memory
/// that the kernel does not use them for, keeps small pages (EINVAL). If the kernel has no huge page left, nothing asks
/// for one again: the kernel would move other memory about in vain.
void first_use::make_huge(page_range& stretch) noexcept {
  for (std::uintptr_t at = stretch.begin; at < stretch.end; at += huge_bytes) *reinterpret_cast<volatile char*>(at) = 0;
  if (madvise(reinterpret_cast<void*>(stretch.begin), stretch.end - stretch.begin, madv_collapse) != 0 && errno != EINVAL)
    gives_huge_ = false;
  stretch.begin = stretch.end;
}

void first_use::prepare(const page_range& next) noexcept {
  const auto ends_before = [](const page_range& s, std::uintptr_t begin) { return s.end <= begin; };
  for (auto s = std::lower_bound(huge_.begin(), huge_.end(), next.begin, ends_before);
       gives_huge_ && s != huge_.end() && s->begin < next.end; ++s)
    if (s->begin < s->end) make_huge(*s);
  madvise(reinterpret_cast<void*>(next.begin), next.end - next.begin, MADV_POPULATE_WRITE);
}

}  // namespace mana::image
