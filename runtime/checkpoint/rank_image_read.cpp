#include "checksum.hpp"
#include "file_stream.hpp"
#include "rank_image.hpp"

#include <mana/lower/abi.hpp>

#include <lz4.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
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

/// Takes values and bytes off the tables; each take says whether there was so much.
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

 private:
  std::span<const std::uint8_t> left_;
};

bool is_sane(const region_record& r) noexcept {
  const bool in_window = r.begin >= lower::window_begin && r.end <= lower::window_end;
  const bool in_program = r.end <= lower::fixed_end;
  return r.begin < r.end && r.begin % 4096 == 0 && r.end % 4096 == 0 && (in_window || in_program);
}

}  // namespace

void rank_image::damaged(const std::string& what) const {
  throw image_error(error_kind::damaged, path_ + ": the image is damaged: " + what +
                    "; restart an earlier checkpoint (mana inspect shows them)");
}

rank_image::rank_image(std::string path) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0 && errno == ENOENT)
    throw image_error(error_kind::missing, path_ + ": the image of a rank is missing; restart another checkpoint (mana "
                      "inspect shows them)");
  if (fd_ < 0) throw_io(path_, "a rank's image cannot be opened");
  try {
    read_header();
    read_tables();
  } catch (...) {
    close(fd_);
    throw;
  }
}

rank_image::~rank_image() { close(fd_); }

void rank_image::read_header() {
  if (read(fd_, &header_, sizeof header_) != static_cast<ssize_t>(sizeof header_)) damaged("it ends within its header");
  if (header_.magic != file_magic) damaged("it does not begin as an image does");
  if (header_.checksum != XXH3_64bits(&header_, offsetof(file_header, checksum)))
    damaged("its header's checksum is wrong");
  if (header_.version != format_version || header_.abi_version != lower::abi_version)
    throw image_error(error_kind::version, path_ + ": the image has format " + std::to_string(header_.version) + "." +
                      std::to_string(header_.abi_version) + ", this mana reads " + std::to_string(format_version) +
                      "." + std::to_string(lower::abi_version) + "; restart with the version of mana that wrote it");
}

void rank_image::read_tables() {
  struct stat about{};
  if (fstat(fd_, &about) != 0) throw_io(path_, "cannot be looked at");
  if (header_.tables_bytes > static_cast<std::uint64_t>(about.st_size)) damaged("it ends within its tables");
  std::vector<std::uint8_t> tables(header_.tables_bytes);
  for (std::size_t done = 0; done < tables.size();) {
    const ssize_t n = read(fd_, tables.data() + done, tables.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io(path_, "cannot be read");
    if (n == 0) damaged("it ends within its tables");
    done += static_cast<std::size_t>(n);
  }
  if (header_.tables_checksum != XXH3_64bits(tables.data(), tables.size()))
    damaged("the checksum of its tables is wrong");
  table_reader from(tables);
  std::span<const std::uint8_t> bytes;
  for (std::uint32_t i = 0; i < header_.section_count; ++i) {
    section_header h{};
    if (!from.take(h) || !from.take(h.bytes, bytes)) damaged("a section is cut off");
    sections_.push_back({std::string(h.name, strnlen(h.name, sizeof h.name)), {bytes.begin(), bytes.end()}});
  }
  for (std::uint32_t i = 0; i < header_.region_count; ++i) {
    region_record r{};
    if (!from.take(r) || !from.take(r.path_bytes, bytes) || !is_sane(r)) damaged("a region's record is wrong");
    regions_.push_back(
        {r.begin, r.end, static_cast<int>(r.protection), r.shared != 0, r.offset, {bytes.begin(), bytes.end()}, 0, 0});
  }
}

bool rank_image::has_section(const std::string& name) const noexcept {
  return std::any_of(sections_.begin(), sections_.end(), [&](const image::section& s) { return s.name == name; });
}

std::span<const std::uint8_t> rank_image::section(const std::string& name) const {
  for (const image::section& s : sections_)
    if (s.name == name) return s.bytes;
  damaged("it has no section \"" + name + "\"");
}

namespace {

/// The file that a shared mapping showed, opened again.
class mapped_file {
 public:
  explicit mapped_file(const region& r) {
    const bool writable = (r.protection & PROT_WRITE) != 0;
    fd_ = open(r.path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (fd_ < 0)
      throw image_error(error_kind::file, r.path + ": a file that the program had mapped cannot be opened: " +
                        std::strerror(errno));
  }
  ~mapped_file() { close(fd_); }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  int descriptor() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

/// First address of the region that the file does not reach. It must still reach as far as the pages that are stored.
std::uintptr_t limit_of(const region& r, int fd) {
  struct stat about{};
  if (fstat(fd, &about) != 0) throw_io(r.path, "a file that the program had mapped cannot be looked at");
  const auto bytes = S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size) : ~std::uint64_t{4095};
  const std::uint64_t after = bytes > r.offset ? bytes - r.offset : 0;
  return after >= r.end - r.begin ? r.end : r.begin + (after + 4095) / 4096 * 4096;
}

}  // namespace

/// Private mappings of files come back as anonymous memory with their contents. Shared ones map the file again, or the
/// object that stands for one without a name, or attach the segment.
/// out: end of what can be filled
std::uintptr_t rank_image::map_region(const region& r, const memory_visitor& visitor) const {
  if (const int segment = r.shared ? visitor.segment_of(r) : -1; segment >= 0) {
    if (shmat(segment, reinterpret_cast<void*>(r.begin), 0) != reinterpret_cast<void*>(r.begin))
      throw_io(path_, ("the shared memory at " + as_text(r) + " cannot be attached").c_str());
    return r.end;
  }
  const int object = r.shared ? visitor.object_of(r) : -1;
  const int flags = MAP_FIXED_NOREPLACE | MAP_NORESERVE | (r.shared ? MAP_SHARED : MAP_PRIVATE);
  std::optional<mapped_file> file;
  if (maps_file_again(r)) file.emplace(r);
  const int protection = file && (r.protection & PROT_WRITE) == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const wanted = reinterpret_cast<void*>(r.begin);
  const int shown = file ? file->descriptor() : object;
  void* const got = shown >= 0 ? mmap(wanted, r.end - r.begin, protection, flags, shown, static_cast<off_t>(r.offset))
                               : mmap(wanted, r.end - r.begin, protection, flags | MAP_ANONYMOUS, -1, 0);
  if (got == wanted) return shown >= 0 ? limit_of(r, shown) : r.end;
  const bool occupied = got != MAP_FAILED || errno == EEXIST;   // old kernels map elsewhere instead of refusing
  if (got != MAP_FAILED) munmap(got, r.end - r.begin);
  if (occupied)
    throw image_error(error_kind::occupied, path_ + ": the program's memory " + as_text(r) + " is in use in this "
                      "process; start again, and without libraries that are preloaded into mana itself");
  throw_io(path_, ("the program's memory " + as_text(r) + " cannot be mapped").c_str());
}

/// Takes a chunk's memory from the file to `place`.
void rank_image::read_chunk(file_reader& in, const chunk_header& h, char* place) const {
  const char* packed = place;
  if (h.stored_bytes == h.memory_bytes) {
    if (!in.read(place, h.memory_bytes)) damaged("it ends within its memory");
  } else {
    packed = in.view(h.stored_bytes);
    if (packed == nullptr) damaged("it ends within its memory");
    const int bytes = static_cast<int>(h.memory_bytes);
    if (LZ4_decompress_safe(packed, place, static_cast<int>(h.stored_bytes), bytes) != bytes)
      damaged("a chunk cannot be unpacked");
  }
  if (chunk_checksum(place, h.memory_bytes, packed, h.stored_bytes) != h.checksum)
    damaged("a chunk's checksum is wrong");
}

/// in: place_of  (region, chunk_header) → char*, where the chunk's memory goes; region: its index in regions_
///     done      (region, chunk_header): it is there
/// out: bytes of memory
template <class PlaceOf, class Done>
std::uint64_t rank_image::read_chunks(PlaceOf&& place_of, Done&& done) {
  if (lseek(fd_, static_cast<off_t>(sizeof header_ + header_.tables_bytes), SEEK_SET) < 0)
    throw_io(path_, "cannot be read");
  file_reader in(fd_, path_);
  checksum_state headers;
  headers.add(&header_.checksum, sizeof header_.checksum);
  std::uint64_t chunks = 0, memory = 0;
  std::size_t at = 0;
  for (;;) {
    chunk_header h{};
    if (!in.read(&h, sizeof h)) damaged("it ends within its memory");
    if (h.address == trailer_magic) {        // no address: a trailer begins here, one word longer than a chunk's header
      trailer end{};
      std::memcpy(&end, &h, sizeof h);
      if (!in.read(&end.chunks_checksum, sizeof end.chunks_checksum) || !in.at_end()) damaged("its end is wrong");
      if (end.chunk_count != chunks || end.memory_bytes != memory || end.chunks_checksum != headers.digest())
        damaged("chunks are missing");
      return memory;
    }
    if (h.memory_bytes == 0 || h.memory_bytes > chunk_bytes || h.stored_bytes > h.memory_bytes)
      damaged("a chunk's header is wrong");
    while (at < regions_.size() && regions_[at].end <= h.address) ++at;   // both ascend
    if (at == regions_.size() || h.address < regions_[at].begin || h.memory_bytes > regions_[at].end - h.address)
      damaged("a chunk lies outside the program's memory");
    read_chunk(in, h, place_of(at, h));
    done(at, h);
    headers.add(&h, sizeof h);
    ++chunks;
    memory += h.memory_bytes;
  }
}

void rank_image::check_processor() const {
  processor_features needed;
  std::copy(std::begin(header_.cpu_features), std::end(header_.cpu_features), needed.words);
  std::string names;
  for (const std::string& name : lacking(needed, features_here())) names += " " + name;
  if (!names.empty())
    throw image_error(error_kind::cpu, path_ + ": the program may use what this processor lacks:" + names +
                      "; restart on one that has it, and run with --cpu what is to go on elsewhere");
}

void rank_image::restore_memory(const memory_visitor& visitor, const paths::path_map& moved) {
  check_processor();
  for (region& r : regions_) r.path = moved(r.path);
  std::vector<std::uintptr_t> limits;
  for (const region& r : regions_) limits.push_back(map_region(r, visitor));
  visitor.begin();
  read_chunks([&](std::size_t at, const chunk_header& h) {
    if (maps_file_again(regions_[at]) && (regions_[at].protection & PROT_WRITE) == 0)
      damaged("it would write to a file that was not written to");
    if (h.address + h.memory_bytes > limits[at])
      throw image_error(error_kind::file, regions_[at].path + ": a file that the program had mapped is shorter than at "
                      "the checkpoint; put the file of that time back");
    char* const place = reinterpret_cast<char*>(h.address);
    if (!maps_file_again(regions_[at]))
      madvise(place, h.memory_bytes, MADV_POPULATE_WRITE);   // one fault for all its pages
    return place;
  }, [&](std::size_t at, const chunk_header& h) {
    if ((regions_[at].protection & PROT_WRITE) != 0)
      visitor.see({reinterpret_cast<const std::uint64_t*>(h.address), h.memory_bytes / sizeof(std::uint64_t)}, regions_[at]);
  });
  visitor.end();
  for (const region& r : regions_)
    if (mprotect(reinterpret_cast<void*>(r.begin), r.end - r.begin, r.protection) != 0)
      throw_io(path_, ("the program's memory " + as_text(r) + " cannot be protected as it was").c_str());
}

std::uint64_t rank_image::verify() {
  const std::unique_ptr<char[]> memory(new char[chunk_bytes]);
  return read_chunks([&](std::size_t, const chunk_header&) { return memory.get(); },
                     [](std::size_t, const chunk_header&) {});
}

std::uint64_t rank_image::checksum() const {
  struct stat about{};
  trailer end{};
  if (fstat(fd_, &about) != 0) throw_io(path_, "cannot be looked at");
  if (about.st_size < static_cast<off_t>(sizeof header_ + sizeof end) ||
      pread(fd_, &end, sizeof end, about.st_size - static_cast<off_t>(sizeof end)) !=
          static_cast<ssize_t>(sizeof end) ||
      end.magic != trailer_magic)
    damaged("it is cut off");
  return XXH3_64bits(&end, sizeof end);
}

}  // namespace mana::image
