#include <runtime/image/origins/program_files.hpp>

#include <runtime/files/image_error.hpp>
#include <runtime/files/io_error.hpp>
#include <runtime/files/output_file.hpp>
#include <runtime/files/own_directory.hpp>
#include <runtime/image/format/build_id.hpp>
#include <runtime/image/format/checksum.hpp>

#include <mana/image/section_table.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace mana::image {

namespace {

/// The program and the writer of the image need descriptors too.
constexpr std::size_t most_files = 128, spare_descriptors = 64;

/// Occupies descriptors, and frees them at its end for the program and the writer.
class spare {
 public:
  spare() {
    while (held_.size() < spare_descriptors) {
      files::descriptor one(open("/", O_PATH | O_CLOEXEC));
      if (!one) return;
      held_.push_back(std::move(one));
    }
  }
  bool is_there() const noexcept { return held_.size() == spare_descriptors; }

 private:
  std::vector<files::descriptor> held_;
};

std::uint64_t identity_of(const std::string& build_id) { return XXH3_64bits(build_id.data(), build_id.size()); }

/// out: empty if the file cannot be opened; errno says why. Never waits for the writer of a FIFO.
files::descriptor open_regular(const std::string& path) {
  files::descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about{};
  if (!fd || fstat(fd.get(), &about) != 0) return {};
  if (S_ISREG(about.st_mode)) return fd;
  errno = EISDIR;
  return {};
}

struct opened_file {
  files::descriptor fd;
  std::string build_id;
  std::uint64_t loaded_bytes = 0;
};

std::optional<opened_file> try_open(const std::string& path) {
  opened_file file{open_regular(path), {}, 0};
  if (!file.fd) return std::nullopt;
  try {
    file.build_id = build_id_of(file.fd.get(), path);
    file.loaded_bytes = loaded_bytes_of(file.fd.get(), path);
  } catch (const files::image_error&) {
    return std::nullopt;
  }
  if (file.build_id.empty()) return std::nullopt;
  return file;
}

/// The paths with the most memory first, as many as may be open.
std::vector<std::string> largest(const std::vector<file_origin>& origins) {
  std::map<std::string, std::uint64_t> bytes;
  for (const file_origin& o : origins) bytes[o.path] += o.end - o.begin;
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [path, n] : bytes) order.emplace_back(n, path);
  std::sort(order.rbegin(), order.rend());
  if (order.size() > most_files) order.resize(most_files);
  std::vector<std::string> paths;
  for (auto& [n, path] : order) paths.push_back(std::move(path));
  return paths;
}

}  // namespace

std::vector<file_origin> origins_of(const std::vector<region>& regions) {
  std::vector<file_origin> found;
  for (const region& r : regions)
    if (!r.shared && r.is_file && !r.path.empty() && !r.path.ends_with(" (deleted)"))
      found.push_back({r.begin, r.end, r.path, r.offset});
  return found;
}

namespace {

template <class T>
void append(std::vector<std::uint8_t>& to, T value) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

template <class T>
bool take(std::span<const std::uint8_t>& from, T& value) {
  if (from.size() < sizeof value) return false;
  std::memcpy(&value, from.data(), sizeof value);
  from = from.subspan(sizeof value);
  return true;
}

bool take(std::span<const std::uint8_t>& from, file_origin& o) {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t length = 0;            // of the path; if the build id is known, with a zero byte and the build id
  if (!take(from, begin) || !take(from, end) || !take(from, o.offset) || !take(from, length) || from.size() < length) return false;
  o.begin = begin;
  o.end = end;
  o.path.assign(from.begin(), from.begin() + length);
  from = from.subspan(length);
  if (const std::size_t zero = o.path.find('\0'); zero != std::string::npos) {
    o.build_id = o.path.substr(zero + 1);
    o.path.resize(zero);
    if (o.build_id.empty() || o.build_id.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  }
  const bool whole = begin % page_bytes == 0 && end % page_bytes == 0 && o.offset % page_bytes == 0;
  return whole && begin < end && o.offset < (std::uint64_t{1} << 62) && o.path.starts_with('/');
}

}  // namespace

section files_section(const std::vector<file_origin>& origins) {
  std::vector<std::uint8_t> bytes;
  for (const file_origin& o : origins) {
    append(bytes, std::uint64_t{o.begin});
    append(bytes, std::uint64_t{o.end});
    append(bytes, o.offset);
    const std::string text = o.build_id.empty() ? o.path : o.path + '\0' + o.build_id;
    append(bytes, static_cast<std::uint32_t>(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return {sections::files, std::move(bytes)};
}

std::vector<file_origin> origins_of(const contents& restored, const std::string& path) {
  std::vector<file_origin> found;
  for (const section& s : restored.sections) {
    if (s.name != sections::files) continue;
    std::span<const std::uint8_t> left(s.bytes);
    while (!left.empty()) {
      file_origin o{};
      if (!take(left, o) || (!found.empty() && o.begin < found.back().end))
        throw_damaged(path, "its section \"files\" is wrong");
      found.push_back(std::move(o));
    }
  }
  return found;
}

std::vector<file_origin> origins_with(std::vector<file_origin> newer, const std::vector<file_origin>& before) {
  const std::size_t count = newer.size();
  for (const file_origin& o : before) {
    const auto overlaps = [&](const file_origin& n) { return n.begin < o.end && o.begin < n.end; };
    if (std::none_of(newer.begin(), newer.begin() + static_cast<std::ptrdiff_t>(count), overlaps)) newer.push_back(o);
  }
  std::sort(newer.begin(), newer.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  return newer;
}

void note_builds(std::vector<file_origin>& origins) {
  std::map<std::string, std::string> known;
  for (file_origin& o : origins) {
    const auto [at, is_new] = known.try_emplace(o.path);
    if (is_new)
      if (const auto file = try_open(o.path)) at->second = file->build_id;
    if (!at->second.empty()) o.build_id = at->second;
  }
}

program_files::stamp program_files::stamp_of(int fd) noexcept {
  struct stat about{};
  if (fstat(fd, &about) != 0) return {};
  return {about.st_ino, static_cast<std::uint64_t>(about.st_size), about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

program_files::program_files(std::vector<file_origin> origins, const choice& wanted) : bytes_(new char[buffer_bytes]) {
  std::map<std::string, std::uint32_t> number;
  const spare left_for_others;
  for (const std::string& path : left_for_others.is_there() ? largest(origins) : std::vector<std::string>()) {
    auto file = try_open(path);
    if (!file || (wanted && !wanted(path, file->loaded_bytes))) continue;
    number[path] = static_cast<std::uint32_t>(files_.size());
    sources_.push_back({source_kind::program_file, 0, identity_of(file->build_id), path});
    stamps_.push_back(stamp_of(file->fd.get()));
    files_.push_back(std::move(file->fd));
    bytes_of_.push_back(file->loaded_bytes);
  }
  used_.reset(new bool[files_.size()]());
  std::sort(origins.begin(), origins.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  for (file_origin& o : origins) {
    const auto found = number.find(o.path);
    if (found == number.end()) continue;
    file_of_.push_back(found->second);
    origins_.push_back(std::move(o));
  }
}

source program_files::copy_of(std::size_t number, std::uint64_t generation, const std::string& node) const {
  const source& file = sources_[number];
  const stamp& as = stamps_[number];
  const std::string whose = node + '\n' + file.name + '\n' + std::to_string(as.inode) + ' ' + std::to_string(as.bytes) + ' ' +
                            std::to_string(as.s) + ' ' + std::to_string(as.ns);
  char name[64];
  std::snprintf(name, sizeof name, "%s%016llx-%016llx", copy_begins, static_cast<unsigned long long>(file.identity),
                static_cast<unsigned long long>(XXH3_64bits(whose.data(), whose.size())));
  return {source_kind::file_copy, generation, file.identity, name};
}

namespace {

/// out: the checksum
std::uint64_t copy_file(int from, std::uint64_t bytes, const std::string& path, const std::string& to,
                        std::uint64_t most_per_s, const files::write_meter* meter) {
  files::output_file copy(to, most_per_s, meter);
  checksum_state sum;
  for (std::uint64_t done = 0; done < bytes;) {
    char* const place = copy.room(chunk_bytes);
    if (place == nullptr) break;
    const ssize_t n = pread(from, place, static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, bytes - done)),
                            static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) files::throw_io(path, "cannot be read");
    if (n == 0) throw files::image_error(files::error_kind::io, path + ": it became shorter during the copy");
    sum.add(place, static_cast<std::size_t>(n));
    copy.commit(static_cast<std::size_t>(n));
    done += static_cast<std::uint64_t>(n);
  }
  if (!copy.finish())
    throw files::image_error(files::error_kind::io,
                             to + ": " + copy.failure().what + ": " + std::strerror(copy.failure().error));
  return sum.digest();
}

}  // namespace

std::vector<made_copy> program_files::copy_to(const std::string& directory, const std::string& node,
                                              std::uint64_t most_per_s, const files::write_meter* meter) const {
  const files::own_directory all = files::own_directory::at(directory);
  std::vector<made_copy> made;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string name = copy_of(i, 0, node).name, &path = sources_[i].name;
    if (all.has(name)) continue;
    try {
      const std::uint64_t sum = copy_file(files_[i].get(), bytes_of_[i], path, directory + "/" + name, most_per_s, meter);
      made.push_back({name, bytes_of_[i], sum});
    } catch (const files::image_error&) {
      if (!all.has(name)) throw;         // another rank has made it
      continue;
    }
    if (stamp_of(files_[i].get()) != stamps_[i])
      throw files::image_error(files::error_kind::io,
                               path + ": it was written to during the checkpoint; take another checkpoint");
  }
  return made;
}

void program_files::find(std::uintptr_t begin, std::size_t pages, const bool* wanted, const char* memory,
                         place* where) noexcept {
  std::fill_n(where, pages, place{});
  const std::uintptr_t end = begin + pages * page_bytes;
  const auto first = std::upper_bound(origins_.begin(), origins_.end(), begin,
                                      [](std::uintptr_t a, const file_origin& o) { return a < o.end; });
  for (auto o = first; o != origins_.end() && o->begin < end; ++o)
    compare(static_cast<std::size_t>(o - origins_.begin()), std::max(begin, o->begin), std::min(end, o->end), begin, wanted,
            memory, where);
}

bool program_files::are_as_they_were() const noexcept {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (used_[i] && stamp_of(files_[i].get()) != stamps_[i]) return false;
  return true;
}

/// An unreadable page is not the same. A page that the file's end fills only in part is never compared.
void program_files::compare(std::size_t origin, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t window,
                            const bool* wanted, const char* memory, place* where) noexcept {
  const file_origin& o = origins_[origin];
  const std::uint64_t offset = o.offset + (begin - o.begin);
  const std::uint64_t most = bytes_of_[file_of_[origin]];
  if (offset >= most) return;
  const ssize_t got = pread(files_[file_of_[origin]].get(), bytes_.get(), std::min<std::uint64_t>(end - begin, most - offset),
                            static_cast<off_t>(offset));
  const std::size_t read_pages = got < 0 ? 0 : static_cast<std::size_t>(got) / page_bytes;
  const std::size_t skipped = (begin - window) / page_bytes;
  for (std::size_t i = 0; i < read_pages; ++i)
    if (wanted[skipped + i] &&
        std::memcmp(memory + (skipped + i) * page_bytes, bytes_.get() + i * page_bytes, page_bytes) == 0) {
      where[skipped + i] = {static_cast<int>(file_of_[origin]), offset + i * page_bytes};
      used_[file_of_[origin]] = true;
    }
}

bool is_of_build(const source& about, int fd, const std::string& path) {
  return identity_of(build_id_of(fd, path)) == about.identity;
}

namespace {

/// The build id in the image; empty if the image has none.
std::string build_id_of(const source& about, const contents& image) {
  try {
    for (const file_origin& o : origins_of(image, {}))
      if (o.path == about.name && identity_of(o.build_id) == about.identity) return o.build_id;
  } catch (const files::image_error&) {
  }
  return {};
}

}  // namespace

files::descriptor open_program_file(const source& about, const contents& image, const std::string& path) {
  files::descriptor fd = open_regular(path);
  if (!fd)
    throw files::image_error(files::error_kind::file,
                             path + ": the program's memory is partly in this file, which cannot be opened: " +
                                 (errno == EISDIR ? "it is not a regular file" : std::strerror(errno)));
  const std::string id = image::build_id_of(fd.get(), path);
  if (identity_of(id) == about.identity) return fd;
  const std::string wanted = build_id_of(about, image);
  throw files::image_error(files::error_kind::file,
                           path + ": the program's memory is partly in this file, which is another build now (" +
                               (id.empty() ? "without a build id" : "build id " + id) + ") than at the checkpoint" +
                               (wanted.empty() ? "" : " (build id " + wanted + ")") + "; put that build back");
}

}  // namespace mana::image
