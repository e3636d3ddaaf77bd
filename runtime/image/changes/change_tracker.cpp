#include <runtime/image/changes/change_tracker.hpp>

#include <runtime/image/changes/soft_dirty.hpp>
#include <runtime/image/changes/write_protection.hpp>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <stdexcept>

namespace mana::image {

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

template <class Source>
bool change_tracker::begin(const char* way) {
  try {
    source_ = std::make_unique<Source>();
    way_ = way;
    return true;
  } catch (const std::runtime_error& obstacle) {
    obstacle_ += (obstacle_.empty() ? "" : ", ") + std::string(obstacle.what());
    return false;
  }
}

change_tracker::change_tracker() noexcept {
  try {
    if (const std::string device = foreign_writer(); !device.empty()) obstacle_ = device + " may write to memory unseen";
    else if (!begin<write_protection>("page tables")) begin<soft_dirty>("soft-dirty bits");
  } catch (const std::exception&) {
    obstacle_ = "not to be found out";
  }
}

/// A device that the program has opened since then may have written past the page tables. From then on, all pages are
/// summed.
std::vector<page_range> change_tracker::mark(std::span<const region> regions) {
  if (const std::string device = source_ ? foreign_writer() : ""; !device.empty()) {
    source_.reset();
    way_.clear();
    obstacle_ = device + " may write to memory unseen";
  }
  return source_ ? source_->mark(regions) : std::vector<page_range>();
}

}  // namespace mana::image
