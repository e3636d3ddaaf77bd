#include <runtime/image/changes/write_protection.hpp>

#include <runtime/files/high_number.hpp>
#include <runtime/split/window/tracked_memory.hpp>

#include <mana/image/format.hpp>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <runtime/image/memory/pagemap_scan.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

namespace mana::image {

namespace {

/// out: as of the ioctl; scan.walk_end says how far the scan came
int scan_pages(int pagemap, pm_scan_arg& scan) noexcept {
  int n = 0;
  do n = ioctl(pagemap, PAGEMAP_SCAN, &scan);
  while (n < 0 && errno == EINTR);
  return n;
}

bool protect_range(int fault_fd, int pagemap, char* begin, std::size_t bytes) noexcept {
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uintptr_t>(begin), bytes};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  page_region ignored[4];
  pm_scan_arg scan{};
  scan.size = sizeof scan;
  scan.flags = PM_SCAN_WP_MATCHING;
  scan.start = range.range.start;
  scan.end = scan.start + bytes;
  scan.vec = reinterpret_cast<std::uint64_t>(ignored);
  scan.vec_len = std::size(ignored);
  scan.category_mask = PAGE_IS_WPALLOWED | PAGE_IS_WRITTEN;
  return ioctl(fault_fd, UFFDIO_REGISTER, &range) == 0 && scan_pages(pagemap, scan) >= 0;
}

/// Kernels before 6.13, except those with the correction, leave the mark on a page that mremap moves. The new place had
/// other bytes at the checkpoint, but would count as unwritten.
/// out: whether a moved page counts as written
bool tells_moved_pages(int fault_fd, int pagemap) noexcept {
  constexpr std::size_t bytes = 2 * page_bytes;
  void* const all = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return false;
  char* const from = static_cast<char*>(all);
  char* const to = from + page_bytes;
  from[0] = to[0] = 1;
  // Not by libc's function: UCX replaces it by one that drops the last argument.
  bool tells = protect_range(fault_fd, pagemap, from, bytes) &&
               syscall(SYS_mremap, from, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
                   static_cast<long>(reinterpret_cast<std::uintptr_t>(to));
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uintptr_t>(to), page_bytes};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  pm_scan_arg scan{};
  scan.size = sizeof scan;
  scan.start = range.range.start;
  scan.end = scan.start + page_bytes;
  page_region found[1];
  scan.vec = reinterpret_cast<std::uint64_t>(found);
  scan.vec_len = std::size(found);
  scan.category_inverted = PAGE_IS_WRITTEN;
  scan.category_mask = PAGE_IS_WPALLOWED | PAGE_IS_WRITTEN;
  tells = tells && ioctl(fault_fd, UFFDIO_REGISTER, &range) == 0 && scan_pages(pagemap, scan) == 0;
  munmap(all, bytes);
  return tells;
}

/// out: why the kernel cannot do it; empty: it can
std::string begin(int fault_fd, int pagemap) {
  if (fault_fd < 0 || pagemap < 0) return std::string("userfaultfd: ") + std::strerror(errno);
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_WP_ASYNC;
  pm_scan_arg nothing{};
  nothing.size = sizeof nothing;
  const bool has_both = ioctl(fault_fd, UFFDIO_API, &api) == 0 &&
                        (ioctl(pagemap, PAGEMAP_SCAN, &nothing) >= 0 || (errno != ENOTTY && errno != EINVAL));
  if (!has_both) return "this kernel has no PAGEMAP_SCAN (Linux 6.7)";
  return tells_moved_pages(fault_fd, pagemap) ? "" : "this kernel's page tables keep the marks of memory that was moved";
}

}  // namespace

write_protection::write_protection()
    : fault_fd_(files::out_of_the_way(
          static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY)))),
      pagemap_(fault_fd_ < 0 ? -1 : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {
  const std::string obstacle = begin(fault_fd_, pagemap_);
  if (obstacle.empty()) return;
  if (fault_fd_ >= 0) close(fault_fd_);
  if (pagemap_ >= 0) close(pagemap_);
  throw std::runtime_error(obstacle);
}

write_protection::~write_protection() {
  close(fault_fd_);
  close(pagemap_);
}

std::vector<page_range> write_protection::mark(std::span<const region> regions) {
  std::vector<page_range> unwritten;
  for (const region& r : regions) {
    if (!is_private_memory(r) || !track(r)) continue;
    const std::size_t before = unwritten.size();
    find_unwritten(r, unwritten);
    if (!protect(r)) unwritten.resize(before);
  }
  return unwritten;
}

/// A tracked mapping stays tracked. A mapping that the program itself watches is left to the program.
bool write_protection::track(const region& r) noexcept {
  uffdio_register range{};
  range.range = {r.begin, r.end - r.begin};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  split::memory_was_tracked.store(true, std::memory_order_relaxed);
  return ioctl(fault_fd_, UFFDIO_REGISTER, &range) == 0;
}

void write_protection::find_unwritten(const region& r, std::vector<page_range>& found) const {
  page_region part[512];
  pm_scan_arg scan{};
  scan.size = sizeof scan;
  scan.end = r.end;
  scan.vec = reinterpret_cast<std::uint64_t>(part);
  scan.vec_len = std::size(part);
  scan.category_inverted = PAGE_IS_WRITTEN;
  scan.category_mask = PAGE_IS_WPALLOWED | PAGE_IS_WRITTEN;
  for (scan.start = r.begin; scan.start < scan.end; scan.start = scan.walk_end) {
    const int n = scan_pages(pagemap_, scan);
    if (n < 0 || scan.walk_end <= scan.start) return;      // a page that is not found counts as written
    for (int i = 0; i < n; ++i) append_range(found, {part[i].start, part[i].end});
  }
}

/// Protects the present pages that were written to. A page that was never written to is not protected: its protection
/// would take a page table, with an entry that looks like a page. Such a page counts as written from its first use on.
/// Without room for results the kernel would protect every page that has a table.
bool write_protection::protect(const region& r) const noexcept {
  page_region ignored[512];
  pm_scan_arg scan{};
  scan.size = sizeof scan;
  scan.flags = PM_SCAN_WP_MATCHING;
  scan.end = r.end;
  scan.vec = reinterpret_cast<std::uint64_t>(ignored);
  scan.vec_len = std::size(ignored);
  scan.category_mask = PAGE_IS_WPALLOWED | PAGE_IS_WRITTEN;
  scan.category_anyof_mask = PAGE_IS_PRESENT | PAGE_IS_SWAPPED;
  for (scan.start = r.begin; scan.start < scan.end; scan.start = scan.walk_end) {
    if (scan_pages(pagemap_, scan) < 0 || scan.walk_end <= scan.start) return false;
  }
  return true;
}

}  // namespace mana::image
