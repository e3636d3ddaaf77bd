#include <runtime/image/write/process_copy.hpp>

#include <runtime/files/descriptor.hpp>
#include <runtime/files/image_error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

namespace mana::image {

namespace {

/// Identifies a file where paths cannot: a deleted file has none.
using file_id = std::pair<std::uint64_t, std::uint64_t>;
file_id id_of(const region& r) noexcept { return {r.device, r.inode}; }

/// Excludes an image that a lazy restart has mapped: nobody writes to one.
bool is_private_file(const region& r) noexcept { return !r.shared && r.is_file && !r.path.empty(); }

/// Reads the mapped memory. The file is not opened: closing it would drop the locks that the program holds on it
/// (fcntl).
bool begins_as_program(const region& r, int memory) noexcept {
  char magic[4];
  return r.offset == 0 && (r.protection & PROT_WRITE) == 0 &&
         pread(memory, magic, sizeof magic, static_cast<off_t>(r.begin)) == static_cast<ssize_t>(sizeof magic) &&
         std::memcmp(magic, "\177ELF", sizeof magic) == 0;
}

std::set<file_id> programs_of(const std::vector<region>& regions) {
  const files::descriptor memory(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  std::set<file_id> found;
  for (const region& r : regions)
    if (is_private_file(r) && begins_as_program(r, memory.get())) found.insert(id_of(r));
  return found;
}

/// Of a line "VmFlags:" of smaps; proc(5).
bool is_excepted(const std::string& flags) {
  return flags.find(" dc") != std::string::npos || flags.find(" wf") != std::string::npos;
}

std::vector<page_range> excepted_memory() {
  std::ifstream smaps("/proc/self/smaps");
  if (!smaps) throw files::image_error(files::error_kind::io, "/proc/self/smaps cannot be read: is /proc mounted?");
  std::vector<page_range> found;
  unsigned long begin = 0, end = 0;
  for (std::string line; std::getline(smaps, line);) {
    const bool is_name = !line.empty() && line[0] >= 'A' && line[0] <= 'Z';
    if (!is_name) std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end);
    else if (line.starts_with("VmFlags:") && is_excepted(line)) found.push_back({begin, end});
  }
  return found;
}

bool is_same_state(const struct stat& a, const struct stat& b) noexcept {
  const auto same = [](const timespec& x, const timespec& y) { return x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec; };
  return a.st_size == b.st_size && same(a.st_mtim, b.st_mtim) && same(a.st_ctim, b.st_ctim);
}

}  // namespace

bool shown_files::add(const region& r) {
  const auto has_path = [&](const file& f) { return f.path == r.path; };
  const auto known = std::find_if(files_.begin(), files_.end(), has_path);
  if (known != files_.end()) return known->about.st_ino == r.inode;
  file next{r.path, r.path + ", which the program has mapped, was written to meanwhile: take another checkpoint", {}};
  if (stat(next.path.c_str(), &next.about) != 0 || next.about.st_ino != r.inode) return false;
  files_.push_back(std::move(next));
  return true;
}

/// Another file under the same path is not a change of this file: programs are replaced in this way.
const char* shown_files::find_changed() const noexcept {
  for (const file& f : files_) {
    struct stat now{};
    const bool is_there = stat(f.path.c_str(), &now) == 0 && now.st_ino == f.about.st_ino && now.st_dev == f.about.st_dev;
    if (is_there && !is_same_state(now, f.about)) return f.changed.c_str();
  }
  return nullptr;
}

shown_files mark_not_copied(std::vector<region>& regions, bool may_be_advised) {
  shown_files shown;
  const std::set<file_id> programs = programs_of(regions);
  const std::vector<page_range> excepted = may_be_advised ? excepted_memory() : std::vector<page_range>();
  for (region& r : regions) {
    const auto overlaps = [&](const page_range& e) { return e.begin < r.end && r.begin < e.end; };
    const bool may_change = is_private_file(r) && !(programs.contains(id_of(r)) && shown.add(r));
    r.is_not_copied = may_change || std::any_of(excepted.begin(), excepted.end(), overlaps);
  }
  return shown;
}

}  // namespace mana::image
