#include <runtime/image/read/rank_image.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/files/own_directory.hpp>
#include <runtime/image/format/own_version.hpp>
#include <runtime/image/read/chunk_reader.hpp>
#include <runtime/image/read/run_reader.hpp>

#include <mana/lower/zones.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace mana::image {

namespace {

std::string as_text(const region& r) {
  char text[64];
  std::snprintf(text, sizeof text, "0x%lx-0x%lx", static_cast<unsigned long>(r.begin),
                static_cast<unsigned long>(r.end));
  return text;
}

}  // namespace

lazy_memory::lazy_memory() = default;
lazy_memory::lazy_memory(lazy_memory&&) noexcept = default;
lazy_memory& lazy_memory::operator=(lazy_memory&&) noexcept = default;
lazy_memory::~lazy_memory() = default;

void rank_image::damaged(const std::string& what) const { throw_damaged(path_, what); }

rank_image::rank_image(std::string path, std::vector<std::string> roots)
    : path_(std::move(path)), roots_(std::move(roots)) {
  try {
    fd_ = files::open_own_file(path_).release();
  } catch (const files::image_error& error) {
    if (error.kind() != files::error_kind::missing) throw;
    throw files::image_error(files::error_kind::missing,
                             path_ +
                                 ": the image of a rank is missing; restart another checkpoint (mana "
                                 "list shows them)");
  }
  try {
    contents_ = read_contents(fd_, path_);
  } catch (...) {
    close(fd_);
    throw;
  }
}

rank_image::~rank_image() { close(fd_); }

bool rank_image::has_section(const std::string& name) const noexcept {
  return std::any_of(contents_.sections.begin(), contents_.sections.end(), [&](const image::section& s) { return s.name == name; });
}

std::span<const std::uint8_t> rank_image::section(const std::string& name) const {
  for (const image::section& s : contents_.sections)
    if (s.name == name) return s.bytes;
  damaged("it has no section \"" + name + "\"");
}

namespace {

/// The file of a shared mapping, opened again. Its path may now lead to something that an open would wait for.
class mapped_file {
 public:
  mapped_file(const region& r, bool may_be_written) {
    const bool writable = (r.protection & PROT_WRITE) != 0;
    const auto open_for = [&](int access) { return open(r.path.c_str(), access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); };
    fd_ = open_for(writable || may_be_written ? O_RDWR : O_RDONLY);
    if (fd_ < 0 && !writable && may_be_written) fd_ = open_for(O_RDONLY);      // its mode was changed since
    if (fd_ < 0)
      throw files::image_error(
          files::error_kind::file,
          r.path + ": a file that the program had mapped cannot be opened: " + std::strerror(errno));
  }
  ~mapped_file() { close(fd_); }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  int descriptor() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

/// The pieces of memory that reach up to the stack's top. Later no mapping can be turned into one that grows.
void find_stack(std::vector<region>& regions) noexcept {
  std::uintptr_t end = lower::stack_top;
  for (auto r = regions.rbegin(); r != regions.rend() && r->end >= end; ++r)
    if (r->end == end && !r->shared) {
      r->grows = true;
      end = r->begin;
    }
}

}  // namespace

void* rank_image::map_part(const region& of, const wanted_mapping& wanted, const memory_visitor& visitor) const {
  const made_mapping made = map_reserved(wanted, visitor.is_unreserved(of));
  if (made.is_refused) visitor.not_reserved(of);
  return made.at;
}

/// A private mapping of a file that cannot be mapped again becomes anonymous memory with the same contents. A shared
/// mapping maps its file again, or the object in place of a file without a name, or attaches its segment. Empty memory
/// that the program cannot write to is never made writable: the kernel would account a reservation of terabytes that
/// the program has closed.
rank_image::place rank_image::map_region(const region& r, const memory_visitor& visitor) const {
  if (const int contents = r.shared ? visitor.contents_of(r) : -1; contents >= 0) return {r.end, contents, false};
  if (std::optional<place> shown = map_privately(r, visitor)) return *std::move(shown);
  if (const int segment = r.shared ? visitor.segment_of(r) : -1; segment >= 0) {
    if (shmat(segment, reinterpret_cast<void*>(r.begin), 0) != reinterpret_cast<void*>(r.begin))
      files::throw_io(path_, ("the shared memory at " + as_text(r) + " cannot be attached").c_str());
    return {r.end};
  }
  const int object = r.shared ? visitor.object_of(r) : -1;
  const int kind = (r.shared ? MAP_SHARED : MAP_PRIVATE) | (r.grows ? MAP_GROWSDOWN : 0);
  std::optional<mapped_file> file;
  if (maps_file_again(r)) file.emplace(r, visitor.may_be_written(r).value_or(false));
  const bool is_writable = (r.protection & PROT_WRITE) != 0;
  const bool is_empty = !is_writable && !r.shared && !holds_any({r.begin, r.end});
  const int protection = is_empty ? r.protection : file && !is_writable ? PROT_READ : PROT_READ | PROT_WRITE;
  const int shown = file ? file->descriptor() : object;
  const std::uint64_t offset = shown >= 0 ? r.offset : 0;
  void* const got = map_part(r, {{r.begin, r.end}, protection, MAP_FIXED_NOREPLACE | kind, shown, offset}, visitor);
  if (got == reinterpret_cast<void*>(r.begin)) return {shown >= 0 ? limit_of_file(r, shown) : r.end, object};
  const bool occupied = got != MAP_FAILED || errno == EEXIST;   // old kernels map elsewhere instead of refusing
  if (got != MAP_FAILED) munmap(got, r.end - r.begin);
  if (occupied)
    throw files::image_error(files::error_kind::occupied,
                             path_ + ": the program's memory " + as_text(r) +
                                 " is in use in this process; start again, without libraries that are preloaded into "
                                 "mana itself");
  files::throw_io(path_, ("the program's memory " + as_text(r) + " cannot be mapped").c_str());
}

void rank_image::check_version() const {
  const std::string why = why_not_read(own_version(), {header().layout_major, header().services_minor});
  if (!why.empty()) throw files::image_error(files::error_kind::version, path_ + ": " + why);
}

/// Checks the version of the boundary, and the processor.
void rank_image::check_machine() const {
  check_version();
  processor_features needed;
  std::copy(std::begin(header().cpu_features), std::end(header().cpu_features), needed.words);
  std::string names;
  for (const std::string& name : lacking(needed, features_here())) names += " " + name;
  if (!names.empty())
    throw files::image_error(files::error_kind::cpu,
                             path_ + ": the program may use processor features that are missing here:" + names +
                                 "; restart on a processor that has them; to restart on others too, use mana run "
                                 "--cpu");
}

void rank_image::fill_one(const chunk_record& c, const region& r, const place& at, chunk_reader& in, first_use& pages) {
  if (maps_file_again(r) && (r.protection & PROT_WRITE) == 0)
    damaged("it would write to a file that was not written to");
  if (c.address + c.memory_bytes > at.limit)
    throw files::image_error(files::error_kind::file, r.path +
                                                          ": a file that the program had mapped is shorter than at the "
                                                          "checkpoint; put the file of that time back");
  if (r.shared) return fill_shared(c, r, at, in);
  pages.prepare({c.address, c.address + c.memory_bytes});
  in.read(c, reinterpret_cast<char*>(c.address));
}

namespace {

/// The file's end may lie within a page, and must not move.
void write_contents(int fd, const char* from, std::uint64_t offset, std::uint64_t bytes, const std::string& path) {
  struct stat about{};
  if (fstat(fd, &about) != 0) files::throw_io(path, "cannot be examined");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  const std::uint64_t wanted = std::min(bytes, size > offset ? size - offset : 0);
  for (std::uint64_t done = 0; done < wanted;) {
    const ssize_t n = pwrite(fd, from + done, wanted - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) files::throw_io(path, "the contents of this file, which has no name, cannot be restored");
    done += static_cast<std::uint64_t>(n);
  }
}

}  // namespace

/// INV-43 memory that other processes restore at the same time gets no byte but its own: codecs write behind their
/// output, and read it again
///
/// Contents of a file without a name are written, not copied into a mapping of the file: a full disk is then an error,
/// not a SIGBUS.
void rank_image::fill_shared(const chunk_record& c, const region& r, const place& at, chunk_reader& in) {
  const std::unique_ptr<char[]> memory(new char[c.memory_bytes]);
  in.read(c, memory.get());
  if (at.object >= 0) write_contents(at.object, memory.get(), r.offset + (c.address - r.begin), c.memory_bytes, r.path);
  else std::memcpy(reinterpret_cast<char*>(c.address), memory.get(), c.memory_bytes);
}

/// The runs in memory that is writable now.
std::vector<file_run> rank_image::fillable_runs(std::span<const place> places) const {
  std::vector<file_run> runs = whole_runs(contents_);
  std::size_t at = 0;
  std::erase_if(runs, [&](const file_run& run) {
    while (regions()[at].end <= run.memory.begin) ++at;
    return places[at].is_closed;
  });
  return runs;
}

void rank_image::fill(std::span<const place> places, const memory_visitor& visitor, chunk_reader& in) {
  const std::vector<file_run> runs = visitor.see ? std::vector<file_run>() : fillable_runs(places);
  const std::unique_ptr<char[]> closed(new char[chunk_bytes]);
  first_use pages(contents_);
  run_reader(contents_, in, pages).read(runs, visitor.filled);
  std::size_t at = 0, run = 0;
  for (const chunk_record& c : contents_.chunks) {
    while (regions()[at].end <= c.address) ++at;     // chunks and regions ascend
    while (run < runs.size() && runs[run].memory.end <= c.address) ++run;
    if (run < runs.size() && runs[run].memory.begin <= c.address) continue;
    const region& r = regions()[at];
    if (places[at].is_closed) in.read(c, closed.get());
    else fill_one(c, r, places[at], in, pages);
    visitor.filled(c.memory_bytes);
    if (visitor.see && (r.protection & PROT_WRITE) != 0)
      visitor.see({reinterpret_cast<const std::uint64_t*>(c.address), c.memory_bytes / sizeof(std::uint64_t)}, r);
  }
}

std::vector<rank_image::place> rank_image::map_regions(const memory_visitor& visitor, const files::path_map& moved) {
  check_machine();
  moved_ = moved;
  for (region& r : contents_.regions) r.path = moved(r.path);
  find_stack(contents_.regions);
  std::vector<place> places;
  for (const region& r : regions()) places.push_back(map_region(r, visitor));
  visitor.begin();
  return places;
}

/// The memory was filled through a writable mapping.
void rank_image::close_for_good(const region& r, const memory_visitor& visitor) const {
  void* const at = reinterpret_cast<void*>(r.begin);
  if (const int segment = visitor.segment_of(r); segment >= 0) {
    if (shmat(segment, at, SHM_RDONLY | SHM_REMAP) != at)
      files::throw_io(path_, ("the shared memory at " + as_text(r) + " cannot be attached for reading").c_str());
    return;
  }
  const int object = visitor.object_of(r);
  if (object < 0) return;
  const int fd = open(("/proc/self/fd/" + std::to_string(object)).c_str(), O_RDONLY | O_CLOEXEC);
  const wanted_mapping wanted{{r.begin, r.end}, r.protection, MAP_SHARED | MAP_FIXED, fd, r.offset};
  const bool well = fd >= 0 && map_part(r, wanted, visitor) == at;
  if (!well) files::throw_io(path_, ("the shared memory at " + as_text(r) + " cannot be mapped for reading").c_str());
  close(fd);
}

void rank_image::protect(std::span<const place> places, const memory_visitor& visitor) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const region& r = regions()[i];
    if (!places[i].is_memory) continue;
    if (r.shared && !maps_file_again(r) && (r.protection & PROT_WRITE) == 0 && visitor.may_be_written(r) == false)
      close_for_good(r, visitor);
    if (mprotect(reinterpret_cast<void*>(r.begin), r.end - r.begin, r.protection) != 0)
      files::throw_io(path_, ("the program's memory " + as_text(r) + " cannot be protected as it was").c_str());
  }
}

void rank_image::restore_memory(const memory_visitor& visitor, const files::path_map& moved) {
  const std::vector<place> places = map_regions(visitor, moved);
  chunk_reader in(contents_, fd_, path_, roots_, moved_);
  fill(places, visitor, in);
  in.check_gaps();
  show_files(places);
  visitor.end();
  protect(places, visitor);
}

void rank_image::map_run(const file_run& run, const region& of, chunk_reader& in, const memory_visitor& visitor) const {
  const std::size_t bytes = run.memory.end - run.memory.begin;
  struct stat about{};
  if (fstat(in.file_of(run.source), &about) != 0) files::throw_io(in.path_of(run.source), "cannot be examined");
  if (static_cast<std::uint64_t>(about.st_size) < run.offset + bytes) throw_damaged(in.path_of(run.source), "it ends within a chunk");
  const int fd = in.file_of(run.source);
  const wanted_mapping wanted{run.memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, run.offset};
  if (map_part(of, wanted, visitor) == MAP_FAILED)
    files::throw_io(in.path_of(run.source), "its memory cannot be mapped");
}

namespace {

bool bars_execution(int fd, const std::string& path) {
  struct statvfs about{};
  if (fstatvfs(fd, &about) != 0) files::throw_io(path, "cannot be examined");
  return (about.f_flag & ST_NOEXEC) != 0;
}

}  // namespace

/// Memory from a file system that is mounted without execution cannot become executable, now or later.
std::vector<file_run> rank_image::mappable_runs(const std::function<bool(const region&)>& may_be_lazy, lazy_memory& left) const {
  std::vector<file_run> runs = file_runs(contents_, [&](const region& r) { return !r.grows && may_be_lazy(r); });
  std::map<std::uint16_t, bool> barred;      // by source
  std::erase_if(runs, [&](const file_run& run) {
    const auto [found, is_new] = barred.try_emplace(run.source, false);
    if (is_new) found->second = bars_execution(left.in->file_of(run.source), left.in->path_of(run.source));
    if (found->second) left.no_execution = left.in->path_of(run.source);
    return found->second;
  });
  return runs;
}

/// Adjacent regions that the kernel takes for one mapping count as one.
std::vector<page_range> rank_image::cut_by(const std::vector<file_run>& runs) const {
  std::vector<page_range> cut;
  auto run = runs.begin();
  for (std::size_t i = 0; i < regions().size();) {
    std::size_t n = i + 1;
    const auto joins = [&](const region& a, const region& b) {
      return a.end == b.begin && a.protection == b.protection && !a.shared && !b.shared;
    };
    while (n < regions().size() && joins(regions()[n - 1], regions()[n])) ++n;
    const page_range all{regions()[i].begin, regions()[n - 1].end};
    if (run != runs.end() && run->memory.begin < all.end) cut.push_back(all);
    while (run != runs.end() && run->memory.begin < all.end) ++run;
    i = n;
  }
  return cut;
}

lazy_memory rank_image::restore_lazily(const memory_visitor& visitor, const files::path_map& moved,
                                       const std::function<bool(const region&)>& may_be_lazy) {
  const std::vector<place> places = map_regions(visitor, moved);
  lazy_memory left;
  left.in = reader();
  chunk_reader& in = *left.in;
  const auto is_shown = [&](const region& r) { return !places[static_cast<std::size_t>(&r - regions().data())].shown.empty(); };
  const std::vector<file_run> runs = mappable_runs([&](const region& r) { return !is_shown(r) && may_be_lazy(r); }, left);
  std::size_t region_at = 0;
  for (const file_run& run : runs) {
    while (regions()[region_at].end <= run.memory.begin) ++region_at;
    map_run(run, regions()[region_at], in, visitor);
    left.mapped.push_back(run.memory);
    visitor.filled(run.memory.end - run.memory.begin);
  }
  left.cut = cut_by(runs);
  first_use small;
  std::size_t run_at = 0;
  region_at = 0;
  for (const chunk_record& c : contents_.chunks) {
    while (regions()[region_at].end <= c.address) ++region_at;
    while (run_at < runs.size() && runs[run_at].memory.end <= c.address) ++run_at;
    const bool is_mapped = run_at < runs.size() && runs[run_at].memory.begin <= c.address;
    if (is_mapped || is_shown_by_file(places[region_at], c)) {
      left.unread.push_back(c);
      if (!is_mapped) visitor.filled(c.memory_bytes);
      continue;
    }
    fill_one(c, regions()[region_at], places[region_at], in, small);
    visitor.filled(c.memory_bytes);
  }
  show_files(places);
  visitor.end();
  protect(places, visitor);
  return left;
}

void rank_image::check_unread(lazy_memory& left) {
  const std::unique_ptr<char[]> memory(new char[chunk_bytes]);
  for (const chunk_record& c : left.unread) left.in->read(c, memory.get());
  left.in->check_gaps();
}

std::unique_ptr<chunk_reader> rank_image::reader() const {
  return std::make_unique<chunk_reader>(contents_, fd_, path_, roots_, moved_);
}

void rank_image::check_sources() const {
  if (contents_.sources.empty()) return;
  chunk_reader(contents_, fd_, path_, roots_).check_sources(false);
}

void rank_image::check_program_files(const files::path_map& moved) {
  moved_ = moved;
  if (contents_.sources.empty()) return;
  chunk_reader(contents_, fd_, path_, roots_, moved_).check_sources(true);
}

std::uint64_t rank_image::verify(const std::function<void(std::uint64_t)>& read, bool program_files) {
  const std::unique_ptr<char[]> memory(new char[chunk_bytes]);
  chunk_reader in(contents_, fd_, path_, roots_, moved_);
  for (const chunk_record& c : contents_.chunks) {
    const bool is_there = c.source != 0 && contents_.sources[c.source - 1u].kind == source_kind::program_file;
    if (program_files || !is_there) in.read(c, memory.get());
    read(c.memory_bytes);
  }
  in.check_gaps();
  return contents_.memory_bytes;
}

}  // namespace mana::image
