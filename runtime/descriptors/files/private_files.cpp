#include <runtime/descriptors/files/private_files.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t is_present = 1ull << 63, is_swapped = 1ull << 62, is_of_file = 1ull << 61, is_guard = 1ull << 58;

class page_map {
 public:
  page_map() : fd_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~page_map() {
    if (fd_ >= 0) close(fd_);
  }
  page_map(const page_map&) = delete;
  page_map& operator=(const page_map&) = delete;

  /// The program's own pages, as [[begin, end], …]. Null: the kernel does not tell, or some pages must not be touched.
  json own_pages(const private_mapping& m) const {
    json own = json::array();
    std::uint64_t words[512];
    for (std::uintptr_t at = m.begin; at < m.end;) {
      const std::size_t wanted = std::min<std::size_t>((m.end - at) / page, std::size(words)) * sizeof words[0];
      if (pread(fd_, words, wanted, static_cast<off_t>(at / page * sizeof words[0])) != static_cast<ssize_t>(wanted)) return nullptr;
      for (std::size_t i = 0; i < wanted / sizeof words[0]; ++i, at += page) {
        if ((words[i] & is_guard) != 0) return nullptr;
        if ((words[i] & is_swapped) == 0 && (words[i] & (is_present | is_of_file)) != is_present) continue;
        if (!own.empty() && own.back().at(1) == at) own.back().at(1) = at + page;
        else own.push_back({at, at + page});
      }
    }
    return own;
  }

 private:
  int fd_;
};

json stamp_of(const struct stat& s) { return {s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec}; }

bool has_huge_pages(const struct statfs& system) noexcept { return system.f_type == HUGETLBFS_MAGIC; }

/// A file with a name is opened by its name. For a file without one, the restart maps the file that it makes in its
/// place.
json describe_file(const private_mapping& m) {
  struct stat s{};
  struct statfs system{};
  const bool named = !m.path.ends_with(" (deleted)") && stat(m.path.c_str(), &s) == 0 && s.st_ino == m.file.second;
  if (!named) return {{"key", {m.file.first, m.file.second}}};
  if (!S_ISREG(s.st_mode) || statfs(m.path.c_str(), &system) != 0 || has_huge_pages(system)) return nullptr;
  return {{"path", m.path}, {"stamp", stamp_of(s)}};
}

/// Compares inodes alone: some file systems show one device number in the kernel's list of mappings and another in
/// stat.
std::set<std::uint64_t> written_files(std::span<const owned_descriptor> open) {
  std::set<std::uint64_t> files;
  for (const owned_descriptor& d : open) {
    struct stat s{};
    const int flags = fcntl(d.number, F_GETFL);
    if (flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(d.number, &s) == 0) files.insert(s.st_ino);
  }
  return files;
}

int open_unchanged(const json& row, std::vector<std::string>& changed) {
  const std::string path = row.at("path");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat now{};
  if (fd >= 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode) && stamp_of(now) == row.at("stamp")) return fd;
  if (fd >= 0) close(fd);
  if (row.at("written").get<bool>())
    changed.push_back(path + " was written to since the checkpoint: the program's private mapping is now a copy, "
                             "which does not show later writes to the file");
  return -1;
}

bool bars_execution(int fd) noexcept {
  struct statvfs about{};
  return fstatvfs(fd, &about) != 0 || (about.f_flag & ST_NOEXEC) != 0;
}

}  // namespace

json describe_private(std::span<const private_mapping> mappings, std::span<const owned_descriptor> open, report& said) {
  json rows = json::array();
  const page_map pages;
  const std::set<std::uint64_t> written = written_files(open);
  std::set<std::string> warned;
  for (const private_mapping& m : mappings) {
    json row = describe_file(m), own = row.is_null() ? json() : pages.own_pages(m);
    const bool is_written = written.contains(m.file.second);
    if (row.is_null() || own.is_null()) {
      if (is_written && warned.insert(m.path).second)
        said.warn(m.path + " is mapped privately and open for writing, and cannot be mapped again: after a restart "
                           "the mapping is a copy, which does not show writes to the file");
      continue;
    }
    row.update({{"begin", m.begin}, {"end", m.end}, {"own", std::move(own)}, {"written", is_written}, {"executable", m.executable}});
    rows.push_back(std::move(row));
  }
  return rows;
}

image::private_file private_file_at(const json& rows, std::uintptr_t begin, const object_maker& objects,
                                    std::vector<std::string>& changed) {
  const auto row = std::ranges::find_if(rows, [&](const json& r) { return r.at("begin").get<std::uintptr_t>() == begin; });
  if (row == rows.end()) return {};
  image::private_file found;
  if (row->contains("path")) found.fd = open_unchanged(*row, changed);
  else if (const int object = objects.find(row->at("key")); object >= 0) found.fd = fcntl(object, F_DUPFD_CLOEXEC, 0);
  if (found.fd < 0) return found;
  if (row->at("executable").get<bool>() && bars_execution(found.fd)) {
    close(found.fd);
    return {};
  }
  for (const json& own : row->at("own")) found.own.push_back({own.at(0), own.at(1)});
  return found;
}

}  // namespace mana::descriptors
