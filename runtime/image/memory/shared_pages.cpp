#include <runtime/image/memory/shared_pages.hpp>

#include <mana/image/format.hpp>

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace mana::image {

namespace {

/// Device of the kernel's own mount, which has memfds, System V and anonymous shared memory.     out: 0: unknown
std::uint64_t device_of_nameless() noexcept {
  const int fd = memfd_create("mana", MFD_CLOEXEC);
  struct stat about{};
  const bool known = fd >= 0 && fstat(fd, &about) == 0;
  if (fd >= 0) close(fd);
  return known ? about.st_dev : 0;
}

/// The file may be deleted: its directory tells.
bool is_on_tmpfs(const region& r) noexcept {
  char directory[PATH_MAX];
  const std::size_t length = r.path.find_last_of('/') + 1;
  if (length == 0 || length >= sizeof directory) return false;
  std::memcpy(directory, r.path.data(), length);
  directory[length] = 0;
  struct stat about{};
  struct statfs mount{};
  return stat(directory, &about) == 0 && about.st_dev == r.device && statfs(directory, &mount) == 0 &&
         mount.f_type == TMPFS_MAGIC;
}

/// out: false: the path names another file
bool find_end(const region& r, std::uintptr_t& end) noexcept {
  end = r.end;
  if (!maps_file_again(r)) return true;
  struct stat about{};
  if (stat(r.path.c_str(), &about) != 0 || about.st_ino != r.inode) return false;
  const auto bytes = (static_cast<std::uint64_t>(about.st_size) + page_bytes - 1) / page_bytes * page_bytes;
  end = bytes <= r.offset ? r.begin : std::min<std::uint64_t>(r.end, r.begin + (bytes - r.offset));
  return true;
}

}  // namespace

shared_pages::shared_pages() : nameless_(device_of_nameless()), pages_(new unsigned char[capacity]) {}

shared_pages::~shared_pages() { delete[] pages_; }

void shared_pages::begin() noexcept {
  struct sysinfo machine{};
  has_swap_ = sysinfo(&machine) != 0 || machine.totalswap != 0;
  region_ = nullptr;
  begin_ = end_ = 0;
}

bool shared_pages::look_at(const region& r) noexcept {
  if (region_ == &r) return known_;
  region_ = &r;
  const bool is_image = r.path.empty() && !r.shared;       // mapped by a lazy restart
  known_ = !has_swap_ && !is_image && ((nameless_ != 0 && r.device == nameless_) || is_on_tmpfs(r)) && find_end(r, end_of_file_);
  return known_;
}

const unsigned char* shared_pages::find(const region& r, std::uintptr_t begin, std::size_t pages) noexcept {
  if (!look_at(r)) return nullptr;
  if (begin < begin_ || begin + pages * page_bytes > end_) {
    const std::size_t count = std::min((r.end - begin) / page_bytes, capacity);
    begin_ = end_ = 0;
    if (mincore(reinterpret_cast<void*>(begin), count * page_bytes, pages_) != 0) return nullptr;
    begin_ = begin;
    end_ = begin + count * page_bytes;
  }
  return pages_ + (begin - begin_) / page_bytes;
}

}  // namespace mana::image
