#include "objects.hpp"

#include "failure.hpp"
#include "nameless.hpp"
#include "segments.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr std::string_view memory_prefix = "/memfd:";

struct part { std::int64_t begin, end; };

/// Where a file has data, in the file's bytes. `fd` is for reading.
std::vector<part> data_of(int fd, std::int64_t size) {
  std::vector<part> found;
  for (off_t at = lseek(fd, 0, SEEK_DATA); at >= 0 && at < size;) {
    const off_t end = std::min<off_t>(lseek(fd, at, SEEK_HOLE), size);
    if (end <= at) break;
    found.push_back({at, end});
    at = lseek(fd, end, SEEK_DATA);
  }
  return found;
}

/// All of `from` that is not in `taken`.
std::vector<part> without(const std::vector<part>& from, part taken) {
  std::vector<part> left;
  for (const part& p : from) {
    if (p.begin < taken.begin) left.push_back({p.begin, std::min(p.end, taken.begin)});
    if (p.end > taken.end) left.push_back({std::max(p.begin, taken.end), p.end});
  }
  return left;
}

std::optional<json> read_parts(int fd, const std::vector<part>& parts) {
  json all = json::array();
  for (const part& p : parts) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(p.end - p.begin));
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = pread(fd, bytes.data() + done, bytes.size() - done, p.begin + static_cast<off_t>(done));
      if (n <= 0) return std::nullopt;
      done += static_cast<std::size_t>(n);
    }
    all.push_back({{"at", p.begin}, {"bytes", json::binary(std::move(bytes))}});
  }
  return all;
}

/// What to read a file by: another opening, since the program's may be for writing only, and has a place. But a
/// process's record locks end with any descriptor of their file that is closed.
class reading {
 public:
  explicit reading(int fd) : locked_(!info_of(fd, "lock").empty()), fd_(locked_ ? fd : open_again(fd, O_RDONLY)) {
    if (locked_) place_ = lseek(fd, 0, SEEK_CUR);
  }
  ~reading() {
    if (locked_) lseek(fd_, place_, SEEK_SET);
    else if (fd_ >= 0) close(fd_);
  }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;
  int descriptor() const noexcept { return fd_; }

 private:
  bool locked_;
  int fd_;
  off_t place_ = 0;
};

bool is_readable(int fd) noexcept {
  struct statfs system{};
  return fstatfs(fd, &system) == 0 && system.f_type != HUGETLBFS_MAGIC;
}

constexpr std::string_view system_v = "/SYSV", restored_system_v = "/memfd:SYSV";

/// Not what MAP_SHARED | MAP_ANONYMOUS made, which is of this process and its children alone.
bool others_may_have(const std::string& path) noexcept {
  return !path.starts_with("/dev/zero ") && !path.starts_with("/anon_hugepage ");
}

void warn_of_others(const std::string& path, bool outlives, report& said) {
  const std::string with = "after a restart with ranks of this job alone, if they are on one machine again";
  if (outlives)
    said.warn("System V shared memory " + path + " is attached: a restart on another machine finds its memory, not its id");
  else if (is_system_v(path))
    said.warn("System V shared memory " + path + " was removed: it is shared " + with + "; its id is unknown then");
  else if (others_may_have(path) && !path.starts_with(memory_prefix))
    said.warn("memory of " + path + " is shared: " + with);
}

json begin_object(file_key file, const std::string& path) {
  return {{"key", {file.first, file.second}}, {"path", path}, {"parts", json::array()}, {"mapped", json::array()}};
}

std::string memory_name(const std::string& path) {
  if (path.starts_with(memory_prefix)) return without_deleted(path).substr(memory_prefix.size());
  return path.starts_with(system_v) ? without_deleted(path).substr(1) : "shared memory";
}

int make(const json& object) {
  const std::string kind = object.at("kind"), path = object.at("path");
  if (kind == "directory") return make_nameless_directory(path, object.at("mode").get<mode_t>());
  if (kind == "file") return make_nameless_file(path);
  return memfd_create(memory_name(path).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

void fill_parts(int fd, const json& object) {
  const std::string path = object.at("path");
  for (const json& p : object.at("parts")) {
    const auto& bytes = p.at("bytes").get_binary();
    const off_t at = p.at("at");
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = pwrite(fd, bytes.data() + done, bytes.size() - done, at + static_cast<off_t>(done));
      if (n <= 0) fail(path, "its contents cannot be restored");
      done += static_cast<std::size_t>(n);
    }
  }
}

}  // namespace

bool is_system_v(const std::string& path) noexcept {
  return path.starts_with(system_v) || path.starts_with(restored_system_v);
}

object_describer::object_describer(std::span<const shared_mapping> mappings) {
  for (const shared_mapping& m : mappings) mappings_.insert({m.file, m});
}

json object_describer::describe(int fd, const struct stat& s, const std::string& path) {
  const file_key file = key_of(s);
  const json key = {file.first, file.second};
  if (const auto known = kept_.find(file); known != kept_.end()) return known->second ? key : json();
  json object = begin_object(file, path);
  object["mode"] = s.st_mode & 07777;
  object["kind"] = S_ISDIR(s.st_mode) ? "directory" : path.starts_with(memory_prefix) ? "memory" : "file";
  kept_[file] = true;
  if (!S_ISDIR(s.st_mode)) {
    const reading from(fd);
    std::vector<part> parts = data_of(from.descriptor(), s.st_size);
    const auto [first, last] = mappings_.equal_range(file);
    for (auto m = first; m != last; ++m) {
      const auto offset = static_cast<std::int64_t>(m->second.offset);
      parts = without(parts, {offset, offset + static_cast<std::int64_t>(m->second.end - m->second.begin)});
      object["mapped"].push_back(m->second.begin);
    }
    std::int64_t bytes = 0;
    for (const part& p : parts) bytes += p.end - p.begin;
    const bool may = is_readable(fd) && from.descriptor() >= 0 && bytes <= max_kept_bytes;
    std::optional<json> contents = may ? read_parts(from.descriptor(), parts) : std::nullopt;
    kept_[file] = contents.has_value();
    if (!contents) return {};
    object["size"] = s.st_size;
    object["seals"] = fcntl(fd, F_GET_SEALS);
    object["parts"] = std::move(*contents);
  }
  objects_.push_back(std::move(object));
  return key;
}

json object_describer::take(report& said) {
  for (auto m = mappings_.cbegin(); m != mappings_.end();) {
    const std::string& path = m->second.path;
    const mapping_place last = std::as_const(mappings_).upper_bound(m->first);
    const bool own = (std::distance(m, last) > 1 || others_may_have(path)) && !kept_.contains(m->first);
    if (own) describe_mapped(m, last);
    warn_of_others(path, own && objects_.back().contains("segment"), said);
    m = last;
  }
  return std::move(objects_);
}

/// Without a descriptor nobody can see how long the file is beyond what is mapped.
void object_describer::describe_mapped(mapping_place first, mapping_place last) {
  json object = begin_object(first->first, first->second.path);
  std::uint64_t size = 0;
  for (auto m = first; m != last; ++m) {
    size = std::max(size, m->second.offset + (m->second.end - m->second.begin));
    object["mapped"].push_back(m->second.begin);
  }
  object["kind"] = "memory";
  object["mode"] = 0777;
  object["size"] = size;
  const auto is_whole = [=](const auto& m) { return m.second.offset == 0 && m.second.end - m.second.begin == size; };
  if (first->second.path.starts_with(system_v) && std::all_of(first, last, is_whole))
    if (json segment = describe_segment(static_cast<int>(first->first.second), size); !segment.is_null())
      object["segment"] = std::move(segment);
  objects_.push_back(std::move(object));
}

object_maker::object_maker(const json& objects, const spare_numbers& spare) {
  for (const json& object : objects) {
    const int segment = find_segment(object.value("segment", json()));
    if (segment >= 0 && clear_segment(segment)) {
      for (const json& begin : object.at("mapped")) segments_[begin.get<std::uintptr_t>()] = segment;
      continue;
    }
    const int fd = make(object);
    if (fd < 0) fail(object.at("path"), "a file without a name cannot be made again");
    const int number = spare.move(fd);
    const file_key key = {object.at("key").at(0), object.at("key").at(1)};
    objects_[key] = number;
    for (const json& begin : object.at("mapped")) mapped_[begin.get<std::uintptr_t>()] = number;
    if (object.at("kind") == "directory") continue;
    const std::int64_t size = object.at("size");
    if (ftruncate(number, size) != 0) fail(object.at("path"), "cannot be made as long as it was");
    shared_.push_back({key, number, size, object.contains("seals")});
  }
}

std::vector<shared_object> object_maker::shared() const { return shared_; }

void object_maker::replace(file_key key, int by, std::int64_t size) {
  const int number = objects_.at(key);
  if (by != number && dup3(by, number, O_CLOEXEC) < 0) fail("a file without a name", "cannot be shared again");
  if (ftruncate(number, size) != 0) fail("a file without a name", "cannot be made as long as other ranks had it");
}

void object_maker::fill(const json& objects) const {
  for (const json& object : objects)
    if (object.at("kind") != "directory" && is_made(object)) fill_parts(descriptor(object.at("key")), object);
}

object_maker::~object_maker() {
  for (const auto& [key, fd] : objects_) close(fd);
}

bool object_maker::is_made(const json& object) const {
  return objects_.contains({object.at("key").at(0), object.at("key").at(1)});
}

int object_maker::segment_at(std::uintptr_t begin) const noexcept {
  const auto found = segments_.find(begin);
  return found == segments_.end() ? -1 : found->second;
}

int object_maker::mapped_at(std::uintptr_t begin) const noexcept {
  const auto found = mapped_.find(begin);
  return found == mapped_.end() ? -1 : found->second;
}

void object_maker::finish(const json& objects) const {
  for (const json& object : objects) {
    if (object.at("kind") == "directory" || !is_made(object)) continue;
    const int fd = descriptor(object.at("key"));
    fchmod(fd, object.at("mode").get<mode_t>());
    if (const int seals = object.value("seals", 0); object.at("kind") == "memory" && seals > 0)
      fcntl(fd, F_ADD_SEALS, seals);
  }
}

}  // namespace mana::descriptors
