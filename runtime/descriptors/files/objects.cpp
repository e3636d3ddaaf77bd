#include <runtime/descriptors/files/objects.hpp>

#include <runtime/descriptors/base/attributes.hpp>
#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/files/nameless.hpp>
#include <runtime/descriptors/memory/segments.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr std::string_view memory_prefix = "/memfd:";

/// Only the mappings of such a file can be read.
bool is_of_huge_pages(int fd) noexcept {
  struct statfs system{};
  return fstatfs(fd, &system) == 0 && system.f_type == HUGETLBFS_MAGIC;
}

constexpr std::string_view system_v = "/SYSV", restored_system_v = "/memfd:SYSV";

/// False for memory of MAP_SHARED | MAP_ANONYMOUS, which belongs to this process and its children alone.
bool others_may_have(const std::string& path) noexcept {
  return !path.starts_with("/dev/zero ") && !path.starts_with("/anon_hugepage ");
}

/// in: path  of /proc/self/maps. A file on a disk may be larger than memory.
bool was_in_memory(const std::string& path) {
  if (path.starts_with(memory_prefix) || path.starts_with(system_v) || !others_may_have(path)) return true;
  struct statfs system{};
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  return statfs(directory.c_str(), &system) == 0 &&
         (system.f_type == TMPFS_MAGIC || system.f_type == HUGETLBFS_MAGIC || system.f_type == RAMFS_MAGIC);
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
  return {{"key", {file.first, file.second}}, {"path", path}, {"parts", json::array()}, {"mapped", json::array()},
          {"contents", json::array()}};
}

/// The file never had a name (O_TMPFILE): the kernel shows its number instead.
bool may_be_named(int fd, const struct stat& s, const std::string& path) {
  const int flags = fcntl(fd, F_GETFL);
  return (flags & O_TMPFILE) == O_TMPFILE || without_deleted(path).ends_with("/#" + std::to_string(s.st_ino));
}

std::string memory_name(const std::string& path) {
  if (path.starts_with(memory_prefix)) return without_deleted(path).substr(memory_prefix.size());
  return path.starts_with(system_v) ? without_deleted(path).substr(1) : "shared memory";
}

made_file make(const json& object) {
  const std::string kind = object.at("kind"), path = object.at("path");
  if (kind == "directory") return {make_nameless_directory(path, object.at("mode").get<mode_t>())};
  if (kind == "file") return make_nameless_file(path, object.value("may_be_named", true));
  return {memfd_create(memory_name(path).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING)};
}

}  // namespace

bool is_system_v(const std::string& path) noexcept {
  return path.starts_with(system_v) || path.starts_with(restored_system_v);
}

object_describer::object_describer(std::span<const shared_mapping> mappings, std::span<const image::region> occupied)
    : places_(occupied) {
  for (const shared_mapping& m : mappings) mappings_.insert({m.file, m});
}

json object_describer::describe(int fd, const struct stat& s, const std::string& path, report& said) {
  const file_key file = key_of(s);
  const json key = {file.first, file.second};
  if (!kept_.insert(file).second) return key;
  json object = begin_object(file, path);
  object["mode"] = s.st_mode & 07777;
  const bool is_memory = path.starts_with(memory_prefix) || is_of_huge_pages(fd);
  object["kind"] = S_ISDIR(s.st_mode) ? "directory" : is_memory ? "memory" : "file";
  reading from(fd, s);
  if (!S_ISDIR(s.st_mode)) {
    object["size"] = s.st_size;
    lengths_[file] = static_cast<std::uint64_t>(s.st_size);
    object["may_be_named"] = may_be_named(fd, s, path);
    object["seals"] = fcntl(from.descriptor() >= 0 ? from.descriptor() : fd, F_GET_SEALS);
    take_contents(object, fd, s, from, said);
  }
  object["attributes"] = describe_attributes(from.descriptor() >= 0 ? from.descriptor() : fd, s);
  objects_.push_back(std::move(object));
  return key;
}

/// The program's own mappings are in the image as memory, where a checkpoint looks for locks that its threads hold.
void object_describer::take_contents(json& object, int fd, const struct stat& s, reading& from, report& said) {
  const file_key file = key_of(s);
  const std::string path = object.at("path");
  const auto [first, last] = mappings_.equal_range(file);
  for (auto m = first; m != last; ++m) object["mapped"].push_back(m->second.begin);
  if (is_of_huge_pages(fd) || from.descriptor() < 0) {
    const std::string why = from.descriptor() < 0 ? std::strerror(from.error()) : "they are huge pages";
    object["unread"] = why;
    said.warn(path + ": its contents cannot be read (" + why + ") and are not saved, except for mapped parts: after a "
                                                               "restart the rest is zeros");
    return;
  }
  std::vector<file_part> parts = data_of(from.descriptor(), s.st_size);
  for (auto m = first; m != last; ++m) {
    const auto offset = static_cast<std::int64_t>(m->second.offset);
    parts = without(parts, {offset, offset + static_cast<std::int64_t>(m->second.end - m->second.begin)});
  }
  object["data"] = bytes_of(parts);
  if (bytes_of(parts) > most_described_bytes) return place_contents(object, s, from, parts);
  std::optional<json> read = read_parts(from.descriptor(), parts);
  if (!read) fail(path, "the contents of this file, which has no name, cannot be read");
  object["parts"] = std::move(*read);
}

void object_describer::place_contents(json& object, const struct stat& s, reading& from, const std::vector<file_part>& parts) {
  const auto contents = std::make_shared<const image::file_contents>(from.descriptor(), from.give_away(), parts);
  for (image::region& r : places_.place(key_of(s), object.at("path"), s.st_size, contents, parts)) {
    object["contents"].push_back(r.begin);
    contents_.push_back(std::move(r));
  }
}

std::vector<image::region> object_describer::take_contents() {
  places_.finish();
  std::sort(contents_.begin(), contents_.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  return std::move(contents_);
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

/// Without a descriptor nobody can see how far the file extends beyond the mapped part.
void object_describer::describe_mapped(mapping_place first, mapping_place last) {
  json object = begin_object(first->first, first->second.path);
  std::uint64_t size = 0;
  for (auto m = first; m != last; ++m) {
    size = std::max(size, m->second.offset + (m->second.end - m->second.begin));
    object["mapped"].push_back(m->second.begin);
  }
  object["kind"] = was_in_memory(first->second.path) ? "memory" : "file";
  object["may_be_named"] = false;
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
    const made_file made = make(object);
    if (made.fd < 0) fail(object.at("path"), "a file without a name cannot be made again");
    if (!made.elsewhere.empty())
      warnings_.push_back(object.at("path").get<std::string>() + ": it cannot be made again where it was, and is " + made.elsewhere);
    const int number = spare.move(made.fd);
    const file_key key = {object.at("key").at(0), object.at("key").at(1)};
    objects_[key] = number;
    for (const json& begin : object.at("mapped")) mapped_[begin.get<std::uintptr_t>()] = number;
    for (const json& begin : object.value("contents", json::array())) contents_[begin.get<std::uintptr_t>()] = number;
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
    if (object.at("kind") != "directory" && is_made(object))
      fill_parts(descriptor(object.at("key")), object.at("parts"), object.at("path"));
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

int object_maker::find(const json& key) const {
  const auto found = objects_.find({key.at(0), key.at(1)});
  return found == objects_.end() ? -1 : found->second;
}

int object_maker::mapped_at(std::uintptr_t begin) const noexcept {
  const auto found = mapped_.find(begin);
  return found == mapped_.end() ? -1 : found->second;
}

int object_maker::contents_at(std::uintptr_t begin) const noexcept {
  const auto found = contents_.find(begin);
  return found == contents_.end() ? -1 : found->second;
}

std::vector<std::string> object_maker::finish(const json& objects) const {
  std::vector<std::string> otherwise = warnings_;
  for (const json& object : objects) {
    if (!is_made(object)) continue;
    const int fd = descriptor(object.at("key"));
    std::ranges::move(restore_attributes(fd, object.at("mode").get<mode_t>(), object.value("attributes", json()), object.at("path")),
                      std::back_inserter(otherwise));
    if (const int seals = object.value("seals", 0); object.at("kind") == "memory" && seals > 0 && fcntl(fd, F_ADD_SEALS, seals) != 0)
      otherwise.push_back(object.at("path").get<std::string>() + ": its seals cannot be restored: " + std::strerror(errno));
  }
  return otherwise;
}

}  // namespace mana::descriptors
