#include <runtime/descriptors/files/object_contents.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/low_descriptor_guard.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

using nlohmann::json;

namespace mana::descriptors {

std::vector<file_part> data_of(int fd, std::int64_t size) {
  std::vector<file_part> found;
  for (off_t at = lseek(fd, 0, SEEK_DATA); at >= 0 && at < size;) {
    const off_t end = std::min<off_t>(lseek(fd, at, SEEK_HOLE), size);
    if (end <= at) break;
    found.push_back({at, end});
    at = lseek(fd, end, SEEK_DATA);
  }
  return found;
}

std::vector<file_part> without(const std::vector<file_part>& from, file_part taken) {
  std::vector<file_part> left;
  for (const file_part& p : from) {
    if (p.begin < taken.begin) left.push_back({p.begin, std::min(p.end, taken.begin)});
    if (p.end > taken.end) left.push_back({std::max(p.begin, taken.end), p.end});
  }
  return left;
}

std::int64_t bytes_of(const std::vector<file_part>& parts) noexcept {
  std::int64_t bytes = 0;
  for (const file_part& p : parts) bytes += p.end - p.begin;
  return bytes;
}

namespace {

/// Leaves no trace in the file's time of access, if the kernel permits. An owner may read the file whatever its mode.
int open_to_read(int fd, const struct stat& s) noexcept {
  int found = open_again(fd, O_RDONLY | O_NOATIME);
  if (found < 0 && errno == EPERM) found = open_again(fd, O_RDONLY);
  if (found >= 0 || errno != EACCES || s.st_uid != geteuid()) return found;
  if (fchmod(fd, (s.st_mode & 07777) | S_IRUSR) != 0) return -1;
  found = open_again(fd, O_RDONLY);
  const int error = errno;
  fchmod(fd, s.st_mode & 07777);
  errno = error;
  return found;
}

bool is_readable_as_it_is(int fd) noexcept {
  const int flags = fcntl(fd, F_GETFL);
  return (flags & O_ACCMODE) != O_WRONLY && (flags & (O_PATH | O_DIRECT)) == 0;
}

/// Descriptors of files that had locks and were open for writing alone. They are never closed.
std::map<file_key, int>& kept_open() {
  static auto& all = *new std::map<file_key, int>;
  return all;
}

}  // namespace

reading::reading(int fd, const struct stat& s) {
  const bool is_locked = !info_of(fd, "lock").empty();
  if (!is_locked) {
    fd_ = open_to_read(fd, s);
    is_own_ = fd_ >= 0;
  } else if (is_readable_as_it_is(fd)) {
    fd_ = fd;
    is_programs_ = true;
    place_ = lseek(fd, 0, SEEK_CUR);
  } else {
    const low_descriptor_guard guard;           // the descriptor stays open, at a number that the program does not need
    int& known = kept_open().try_emplace(key_of(s), -1).first->second;
    if (known < 0) known = open_to_read(fd, s);
    fd_ = known;
  }
  error_ = fd_ < 0 ? errno : 0;
}

reading::~reading() {
  if (is_programs_) lseek(fd_, place_, SEEK_SET);
  if (is_own_) close(fd_);
}

std::optional<json> read_parts(int fd, const std::vector<file_part>& parts) {
  json all = json::array();
  for (const file_part& p : parts) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(p.end - p.begin));
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = pread(fd, bytes.data() + done, bytes.size() - done, p.begin + static_cast<off_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n == 0) errno = EIO;
      if (n <= 0) return std::nullopt;
      done += static_cast<std::size_t>(n);
    }
    all.push_back({{"at", p.begin}, {"bytes", json::binary(std::move(bytes))}});
  }
  return std::make_optional(std::move(all));
}

void fill_parts(int fd, const json& parts, const std::string& path) {
  for (const json& p : parts) {
    const auto& bytes = p.at("bytes").get_binary();
    const off_t at = p.at("at");
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = pwrite(fd, bytes.data() + done, bytes.size() - done, at + static_cast<off_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail(path, "its contents cannot be restored");
      done += static_cast<std::size_t>(n);
    }
  }
}

namespace {

constexpr std::uint64_t joined_over = 64 << 20, most_at_once = std::uint64_t{1} << 40;

std::map<file_key, image::page_range>& known_places() {
  static auto& all = *new std::map<file_key, image::page_range>;
  return all;
}

std::uint64_t down(std::uint64_t bytes) noexcept { return bytes / image::page_bytes * image::page_bytes; }
std::uint64_t up(std::uint64_t bytes) noexcept { return down(bytes + image::page_bytes - 1); }

/// Whole pages that contain all parts. Parts that are close together are joined.
std::vector<image::page_range> joined(const std::vector<file_part>& parts) {
  std::vector<image::page_range> all;
  for (const file_part& p : parts) {
    const std::uint64_t begin = down(static_cast<std::uint64_t>(p.begin)), end = up(static_cast<std::uint64_t>(p.end));
    if (!all.empty() && begin <= all.back().end + joined_over) all.back().end = end;
    else all.push_back({begin, end});
  }
  return all;
}

bool overlap(const image::page_range& a, const image::page_range& b) noexcept { return a.begin < b.end && b.begin < a.end; }

}  // namespace

contents_places::contents_places(std::span<const image::region> occupied) {
  for (const image::region& r : occupied) occupied_.push_back({r.begin, r.end});
}

bool contents_places::is_free(image::page_range wanted) const noexcept {
  const auto is_taken = [&](const image::page_range& r) { return overlap(r, wanted); };
  return std::none_of(occupied_.begin(), occupied_.end(), is_taken) &&
         std::none_of(placed_.begin(), placed_.end(), [&](const auto& p) { return is_taken(p.second); });
}

/// The lowest free range. Places of the checkpoint before stay free for their files.
std::uintptr_t contents_places::find(std::uint64_t bytes) const {
  std::vector<image::page_range> taken = occupied_;
  for (const auto& [key, range] : placed_) taken.push_back(range);
  for (const auto& [key, range] : known_places()) taken.push_back(range);
  std::sort(taken.begin(), taken.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  std::uintptr_t at = image::contents_begin;
  for (const image::page_range& r : taken) {
    if (r.end <= at) continue;
    if (r.begin >= at && r.begin - at >= bytes) break;
    at = r.end;
  }
  return at < image::contents_end && image::contents_end - at >= bytes ? at : 0;
}

std::vector<image::region> contents_places::place(file_key file, const std::string& path, std::int64_t size,
                                                  std::shared_ptr<const image::file_contents> contents,
                                                  const std::vector<file_part>& parts) {
  const std::vector<image::page_range> pieces = joined(parts);
  std::uint64_t held = 0;
  for (const image::page_range& p : pieces) held += p.end - p.begin;
  const bool at_offsets = static_cast<std::uint64_t>(size) <= most_at_once;
  const std::uint64_t bytes = at_offsets ? up(static_cast<std::uint64_t>(size)) : held;
  image::page_range range{};
  if (const auto known = known_places().find(file); known != known_places().end()) range = known->second;
  if (range.end - range.begin < bytes || !is_free(range)) {
    const std::uint64_t with_room = at_offsets ? std::bit_ceil(std::max<std::uint64_t>(bytes, 1 << 20)) : bytes;
    range.begin = find(with_room);
    range.end = range.begin + with_room;
    if (range.begin == 0) throw descriptor_error(path + ": it has no name, and is larger than what an image can hold");
  }
  placed_[file] = range;
  const std::string name = path.ends_with(" (deleted)") ? path : path + " (deleted)";
  std::vector<image::region> regions;
  std::uintptr_t next = range.begin;
  for (const image::page_range& p : pieces) {
    const std::uintptr_t begin = at_offsets ? range.begin + p.begin : next;
    next = begin + (p.end - p.begin);
    regions.push_back({begin, next, 0, true, p.begin, name});
    regions.back().contents = contents;
  }
  return regions;
}

void contents_places::finish() { known_places() = placed_; }

}  // namespace mana::descriptors
