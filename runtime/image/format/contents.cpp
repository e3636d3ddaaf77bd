#include <runtime/image/format/contents.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/image/format/checksum.hpp>

#include <mana/image/format_1.hpp>
#include <mana/lower/abi.hpp>

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <set>
#include <span>

namespace mana::image {

namespace {

/// Takes values and bytes off the tables. Each take says whether there were enough bytes.
class table_reader {
 public:
  explicit table_reader(std::span<const std::uint8_t> bytes) noexcept : left_(bytes) {}
  template <class T>
  bool take(T& value) noexcept {
    if (left_.size() < sizeof value) return false;
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return true;
  }
  bool take(std::uint64_t n, std::span<const std::uint8_t>& bytes) noexcept {
    if (left_.size() < n) return false;
    bytes = left_.first(n);
    left_ = left_.subspan(n);
    return true;
  }
  bool at_end() const noexcept { return left_.empty(); }

 private:
  std::span<const std::uint8_t> left_;
};

/// One file, read at positions.
class positioned_file {
 public:
  positioned_file(int fd, const std::string& path) : fd_(fd), path_(path) {
    struct stat about{};
    if (fstat(fd_, &about) != 0) files::throw_io(path_, "cannot be examined");
    bytes_ = static_cast<std::uint64_t>(about.st_size);
  }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// out: false if the file ends too early
  bool read(std::uint64_t at, void* into, std::size_t n) const {
    if (at > bytes_ || n > bytes_ - at) return false;
    for (std::size_t done = 0; done < n;) {
      const ssize_t got = pread(fd_, static_cast<char*>(into) + done, n - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) files::throw_io(path_, "cannot be read");
      if (got == 0) return false;
      done += static_cast<std::size_t>(got);
    }
    return true;
  }
  [[noreturn]] void damaged(const std::string& what) const { throw_damaged(path_, what); }
  const std::string& path() const noexcept { return path_; }

 private:
  int fd_;
  const std::string& path_;
  std::uint64_t bytes_ = 0;
};

constexpr std::uint64_t most_offset = std::uint64_t{1} << 62;
constexpr std::size_t most_name_bytes = 255, most_path_bytes = 4095;      // limits of Linux
constexpr std::size_t most_mapped_path_bytes = most_path_bytes + 10;      // the kernel adds " (deleted)"

/// This version's header has no counts and no checksum of the tables: the trailer has them.
bool is_sane(const file_header& h) noexcept {
  return h.page_bytes == page_bytes && h.section_count == 0 && h.region_count == 0 && h.tables_bytes == 0 &&
         h.tables_checksum == 0;
}

bool is_sane(const section_header& h) noexcept {
  const std::size_t length = strnlen(h.name, sizeof h.name);
  return std::all_of(h.name + length, std::end(h.name), [](char c) { return c == '\0'; });
}

bool is_path(std::span<const std::uint8_t> path) noexcept {
  return path.size() <= most_mapped_path_bytes && std::find(path.begin(), path.end(), 0) == path.end();
}

bool is_sane(const region_record& r, std::uintptr_t after) noexcept {
  const bool in_window = r.begin >= lower::window_begin && r.end <= lower::window_end;
  const bool in_program = r.begin > 0 && r.end <= lower::fixed_end;
  return r.begin < r.end && r.begin % page_bytes == 0 && r.end % page_bytes == 0 && r.begin >= after &&
         (in_window || in_program) && r.shared <= 1 && r.protection <= 7 && r.offset % page_bytes == 0 &&
         r.offset < most_offset;
}

file_header read_header(const positioned_file& file) {
  file_header h{};
  if (!file.read(0, &h, sizeof h)) file.damaged("it ends within its header");
  if (h.magic != file_magic) file.damaged("it does not begin as an image does");
  if (h.checksum != XXH3_64bits(&h, offsetof(file_header, checksum))) file.damaged("its header's checksum is wrong");
  if (h.version < oldest_format_version || h.version > format_version)
    throw files::image_error(files::error_kind::version,
                             file.path() + ": the image has format " + std::to_string(h.version) +
                                 ", this mana reads " + std::to_string(oldest_format_version) + " to " +
                                 std::to_string(format_version) + "; restart with the version of mana that wrote it");
  return h;
}

void take_sections(table_reader& from, std::uint32_t count, const positioned_file& file, contents& into) {
  std::span<const std::uint8_t> bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    section_header h{};
    if (!from.take(h) || !from.take(h.bytes, bytes)) file.damaged("a section is cut off");
    if (!is_sane(h)) file.damaged("a section's name is wrong");
    into.sections.push_back({std::string(h.name, strnlen(h.name, sizeof h.name)), {bytes.begin(), bytes.end()}});
  }
}

void take_regions(table_reader& from, std::uint32_t count, const positioned_file& file, contents& into) {
  std::span<const std::uint8_t> path;
  std::uintptr_t after = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    region_record r{};
    if (!from.take(r) || !from.take(r.path_bytes, path) || !is_sane(r, after) || !is_path(path))
      file.damaged("a region's record is wrong");
    after = r.end;
    into.regions.push_back({r.begin, r.end, static_cast<int>(r.protection), r.shared != 0, r.offset,
                            {path.begin(), path.end()}});
  }
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= most_name_bytes && name.find('/') == std::string::npos && name[0] != '.' &&
         name.find('\0') == std::string::npos;
}

void take_sources(table_reader& from, std::uint32_t count, const positioned_file& file, contents& into) {
  std::span<const std::uint8_t> name;
  for (std::uint32_t i = 0; i < count; ++i) {
    source_record r{};
    if (!from.take(r) || !from.take(r.name_bytes, name)) file.damaged("the name of another file is cut off");
    source s{static_cast<source_kind>(r.kind), r.generation, r.identity, {name.begin(), name.end()}};
    const bool sane = ((s.kind == source_kind::generation || s.kind == source_kind::file_copy) && is_name(s.name)) ||
                      (s.kind == source_kind::program_file && s.name.starts_with('/') && s.name.size() <= most_path_bytes &&
                       s.name.find('\0') == std::string::npos && s.generation == 0);
    if (!sane) file.damaged("the name of another file is wrong");
    into.sources.push_back(std::move(s));
  }
}

/// The checks that need no file.
bool is_sane(const chunk_record& r, const contents& in) noexcept {
  const bool whole = r.memory_bytes > 0 && r.memory_bytes % page_bytes == 0 && r.address % page_bytes == 0 &&
                     r.skipped_bytes % page_bytes == 0 && r.unpacked_bytes % page_bytes == 0 &&
                     r.unpacked_bytes <= chunk_bytes && r.skipped_bytes <= r.unpacked_bytes &&
                     r.memory_bytes <= r.unpacked_bytes - r.skipped_bytes;
  const auto how = static_cast<codec>(r.codec);
  const bool stored = how == codec::none ? r.stored_bytes == r.unpacked_bytes
                                         : (how == codec::lz4 || how == codec::zstd) && r.stored_bytes > 0 &&
                                               r.stored_bytes < r.unpacked_bytes;
  const bool here = r.source != 0 || (r.offset >= in.chunks_begin && r.offset <= in.chunks_end &&
                                      r.stored_bytes <= in.chunks_end - r.offset);
  const bool aligned = how != codec::none || r.offset % page_bytes == 0 || in.header.version == 1;
  return whole && stored && here && aligned && r.source <= in.sources.size() && r.offset < most_offset &&
         std::all_of(std::begin(r.zero), std::end(r.zero), [](std::uint8_t byte) { return byte == 0; });
}

/// All chunks are within regions and ascend. Their sums agree with the trailer.
void check_chunks(const positioned_file& file, const contents& c) {
  std::uintptr_t after = 0;
  std::size_t at = 0;
  std::uint64_t memory = 0;
  for (const chunk_record& r : c.chunks) {
    if (!is_sane(r, c) || r.address < after) file.damaged("a chunk's record is wrong");
    while (at < c.regions.size() && c.regions[at].end <= r.address) ++at;
    if (at == c.regions.size() || r.address < c.regions[at].begin || r.memory_bytes > c.regions[at].end - r.address)
      file.damaged("a chunk lies outside the program's memory");
    after = r.address + r.memory_bytes;
    memory += r.memory_bytes;
  }
  if (memory != c.memory_bytes) file.damaged("chunks are missing");
}

std::vector<std::uint8_t> read_tables(const positioned_file& file, std::uint64_t at, std::uint64_t bytes,
                                      std::uint64_t checksum) {
  if (at > file.bytes() || bytes > file.bytes() - at) file.damaged("it ends within its tables");
  std::vector<std::uint8_t> tables(bytes);
  if (!file.read(at, tables.data(), tables.size())) file.damaged("it ends within its tables");
  if (checksum != XXH3_64bits(tables.data(), tables.size())) file.damaged("the checksum of its tables is wrong");
  return tables;
}

trailer read_trailer(const positioned_file& file, const file_header& header) {
  trailer t{};
  if (file.bytes() < sizeof header + sizeof t || !file.read(file.bytes() - sizeof t, &t, sizeof t) ||
      t.magic != trailer_magic)
    file.damaged("it is cut off");
  if (t.checksum != XXH3_64bits(&t, offsetof(trailer, checksum))) file.damaged("its trailer's checksum is wrong");
  const std::uint64_t end = file.bytes() - sizeof t;
  if (t.header_checksum != header.checksum || t.zero != 0 || t.tables_offset < page_bytes || t.tables_offset > end ||
      t.tables_bytes != end - t.tables_offset)
    file.damaged("its trailer is wrong");
  return t;
}

contents read_version_2(const positioned_file& file, const file_header& header) {
  if (!is_sane(header)) file.damaged("its header is wrong");
  const trailer t = read_trailer(file, header);
  const std::vector<std::uint8_t> tables = read_tables(file, t.tables_offset, t.tables_bytes, t.tables_checksum);
  contents c;
  c.header = header;
  c.memory_bytes = t.memory_bytes;
  c.own_bytes = t.own_bytes;
  c.chunks_begin = page_bytes;
  c.chunks_end = t.tables_offset;
  c.identity = XXH3_64bits(&t, sizeof t);
  table_reader from(tables);
  take_sections(from, t.section_count, file, c);
  take_regions(from, t.region_count, file, c);
  take_sources(from, t.source_count, file, c);
  if (t.chunk_count > tables.size() / sizeof(chunk_record)) file.damaged("its chunks' records are cut off");
  c.chunks.resize(t.chunk_count);
  for (chunk_record& r : c.chunks)
    if (!from.take(r)) file.damaged("its chunks' records are cut off");
  if (!from.at_end()) file.damaged("there is more in its tables than its trailer says");
  check_chunks(file, c);
  return c;
}

chunk_record as_record(const format_1::chunk_header& h, std::uint64_t offset) noexcept {
  const codec how = h.stored_bytes == h.memory_bytes ? codec::none : codec::lz4;
  return {h.address, offset, h.checksum, h.memory_bytes, 0, h.memory_bytes, h.stored_bytes, 0,
          static_cast<std::uint8_t>(how), {}};
}

/// Each chunk's header precedes its bytes. The headers are read one by one, up to the trailer.
void find_chunks(const positioned_file& file, contents& c) {
  checksum_state headers;
  headers.add(&c.header.checksum, sizeof c.header.checksum);
  std::uint64_t at = c.chunks_begin;
  for (;;) {
    format_1::chunk_header h{};
    if (!file.read(at, &h, sizeof h)) file.damaged("it ends within its memory");
    if (h.address == format_1::trailer_magic) break;     // no address has this value
    at += sizeof h;
    if (h.memory_bytes == 0 || h.memory_bytes > chunk_bytes || h.stored_bytes > h.memory_bytes)
      file.damaged("a chunk's header is wrong");
    if (h.stored_bytes > file.bytes() - at) file.damaged("it ends within its memory");
    c.chunks.push_back(as_record(h, at));
    c.memory_bytes += h.memory_bytes;
    c.own_bytes += h.stored_bytes;
    headers.add(&h, sizeof h);
    at += h.stored_bytes;
  }
  format_1::trailer end{};
  if (!file.read(at, &end, sizeof end) || file.bytes() != at + sizeof end) file.damaged("its end is wrong");
  if (end.chunk_count != c.chunks.size() || end.memory_bytes != c.memory_bytes ||
      end.chunks_checksum != headers.digest())
    file.damaged("chunks are missing");
  c.chunks_end = at;
  c.identity = XXH3_64bits(&end, sizeof end);
}

contents read_version_1(const positioned_file& file, const file_header& header) {
  contents c;
  c.header = header;
  const std::vector<std::uint8_t> tables =
      read_tables(file, sizeof header, header.tables_bytes, header.tables_checksum);
  table_reader from(tables);
  take_sections(from, header.section_count, file, c);
  take_regions(from, header.region_count, file, c);
  c.chunks_begin = sizeof header + header.tables_bytes;
  find_chunks(file, c);
  check_chunks(file, c);
  return c;
}

}  // namespace

void throw_damaged(const std::string& path, const std::string& what) {
  throw files::image_error(files::error_kind::damaged, path + ": the image is damaged: " + what +
                    "; restart an earlier checkpoint (mana list shows them)", path);
}

contents read_contents(int fd, const std::string& path) {
  const positioned_file file(fd, path);
  const file_header header = read_header(file);
  return header.version == 1 ? read_version_1(file, header) : read_version_2(file, header);
}

std::vector<std::uint64_t> builds_on(const std::vector<source>& sources, std::uint64_t own) {
  std::set<std::uint64_t> found;
  for (const source& s : sources)
    if (s.kind != source_kind::program_file && s.generation != own) found.insert(s.generation);
  return {found.begin(), found.end()};
}

bool refers_to_program_files(const contents& image) noexcept {
  return std::any_of(image.chunks.begin(), image.chunks.end(), [&](const chunk_record& c) {
    return c.source != 0 && image.sources[c.source - 1u].kind == source_kind::program_file;
  });
}

std::uint64_t read_identity(int fd, const std::string& path) {
  const positioned_file file(fd, path);
  const file_header header = read_header(file);
  if (header.version != 1) {
    const trailer t = read_trailer(file, header);
    return XXH3_64bits(&t, sizeof t);
  }
  format_1::trailer end{};
  if (file.bytes() < sizeof header + sizeof end || !file.read(file.bytes() - sizeof end, &end, sizeof end) ||
      end.magic != format_1::trailer_magic)
    file.damaged("it is cut off");
  return XXH3_64bits(&end, sizeof end);
}

}  // namespace mana::image
