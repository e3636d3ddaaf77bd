#include "change_tracker.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "pagemap_scan.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace mana::image {

namespace {

/// out: as ioctl's; scan.walk_end says how far it came
int scan_pages(int pagemap, pm_scan_arg& scan) noexcept {
  int n = 0;
  do n = ioctl(pagemap, PAGEMAP_SCAN, &scan);
  while (n < 0 && errno == EINTR);
  return n;
}

}  // namespace

std::string foreign_writer() {
  namespace fs = std::filesystem;
  constexpr unsigned memory_major = 1, terminal_major = 5, first_pty_major = 136, last_pty_major = 143,
                     misc_major = 10, tty_major = 4;
  std::error_code error;
  for (fs::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end; entry.increment(error)) {
    struct stat about{};
    if (stat(entry->path().c_str(), &about) != 0 || !S_ISCHR(about.st_mode)) continue;
    const unsigned kind = major(about.st_rdev);
    const std::string name = fs::read_symlink(entry->path(), error).string();
    const bool harmless = kind == memory_major || kind == terminal_major || kind == tty_major ||
                          (kind >= first_pty_major && kind <= last_pty_major) ||
                          (kind == misc_major && name.find("userfaultfd") != std::string::npos);
    if (!harmless) return name;
  }
  return {};
}

change_tracker::change_tracker() noexcept {
  try {
    if (const std::string device = foreign_writer(); !device.empty()) obstacle_ = device + " may write to memory unseen";
    else begin();
  } catch (const std::exception&) {
    obstacle_ = "not to be found out";
  }
}

void change_tracker::begin() {
  fault_fd_ = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_WP_ASYNC;
  pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fault_fd_ < 0 || ioctl(fault_fd_, UFFDIO_API, &api) != 0 || pagemap_ < 0) {
    obstacle_ = std::string("userfaultfd: ") + std::strerror(errno);
    return;
  }
  pm_scan_arg nothing{};
  nothing.size = sizeof nothing;
  if (ioctl(pagemap_, PAGEMAP_SCAN, &nothing) < 0 && (errno == ENOTTY || errno == EINVAL))
    obstacle_ = "this kernel has no PAGEMAP_SCAN (Linux 6.7)";
}

change_tracker::~change_tracker() {
  if (fault_fd_ >= 0) close(fault_fd_);
  if (pagemap_ >= 0) close(pagemap_);
}

std::vector<page_range> change_tracker::mark(std::span<const region> regions) {
  std::vector<page_range> unwritten;
  if (!obstacle_.empty()) return unwritten;
  for (const region& r : regions) {
    const bool is_programs_file = r.is_file && !r.path.empty();      // which others may write to
    if (r.shared || is_programs_file || !track(r)) continue;
    const std::size_t before = unwritten.size();
    find_unwritten(r, unwritten);
    if (!protect(r)) unwritten.resize(before);
  }
  return unwritten;
}

/// A mapping that is tracked already stays so. One that the program itself watches is left to it.
bool change_tracker::track(const region& r) noexcept {
  uffdio_register range{};
  range.range = {r.begin, r.end - r.begin};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(fault_fd_, UFFDIO_REGISTER, &range) == 0;
}

void change_tracker::find_unwritten(const region& r, std::vector<page_range>& found) const {
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
    for (int i = 0; i < n; ++i) {
      if (!found.empty() && found.back().end == part[i].start) found.back().end = part[i].end;
      else found.push_back({part[i].start, part[i].end});
    }
  }
}

/// Those that were written.
bool change_tracker::protect(const region& r) const noexcept {
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
