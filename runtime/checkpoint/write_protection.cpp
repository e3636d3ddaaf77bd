#include "write_protection.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pagemap_scan.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mana::image {

namespace {

/// out: as ioctl's; scan.walk_end says how far it came
int scan_pages(int pagemap, pm_scan_arg& scan) noexcept {
  int n = 0;
  do n = ioctl(pagemap, PAGEMAP_SCAN, &scan);
  while (n < 0 && errno == EINTR);
  return n;
}

/// out: why not; empty: it can
std::string begin(int fault_fd, int pagemap) {
  if (fault_fd < 0 || pagemap < 0) return std::string("userfaultfd: ") + std::strerror(errno);
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_WP_ASYNC;
  pm_scan_arg nothing{};
  nothing.size = sizeof nothing;
  const bool has_both = ioctl(fault_fd, UFFDIO_API, &api) == 0 &&
                        (ioctl(pagemap, PAGEMAP_SCAN, &nothing) >= 0 || (errno != ENOTTY && errno != EINVAL));
  return has_both ? "" : "this kernel has no PAGEMAP_SCAN (Linux 6.7)";
}

}  // namespace

write_protection::write_protection()
    : fault_fd_(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY))),
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

/// A mapping that is tracked already stays so. One that the program itself watches is left to it.
bool write_protection::track(const region& r) noexcept {
  uffdio_register range{};
  range.range = {r.begin, r.end - r.begin};
  range.mode = UFFDIO_REGISTER_MODE_WP;
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
    if (n < 0 || scan.walk_end <= scan.start) return;      // what is not found counts as written
    for (int i = 0; i < n; ++i) append_range(found, {part[i].start, part[i].end});
  }
}

/// Those that were written.
bool write_protection::protect(const region& r) const noexcept {
  pm_scan_arg scan{};
  scan.size = sizeof scan;
  scan.flags = PM_SCAN_WP_MATCHING;
  scan.end = r.end;
  scan.category_mask = PAGE_IS_WPALLOWED | PAGE_IS_WRITTEN;
  for (scan.start = r.begin; scan.start < scan.end; scan.start = scan.walk_end) {
    if (scan_pages(pagemap_, scan) < 0 || scan.walk_end <= scan.start) return false;
  }
  return true;
}

}  // namespace mana::image
