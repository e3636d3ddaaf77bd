#include "file_stream.hpp"
#include "rank_image.hpp"

#include <mana/lower/abi.hpp>

#include <lz4.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace mana::image {

namespace {

std::string as_text(const region& r) {
  char text[64];
  std::snprintf(text, sizeof text, "0x%lx-0x%lx", static_cast<unsigned long>(r.begin), static_cast<unsigned long>(r.end));
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
  if (fd_ < 0) {
    const error_kind kind = errno == ENOENT ? error_kind::missing : error_kind::io;
    throw image_error(kind, path_ + ": a rank's image cannot be opened: " + std::strerror(errno));
  }
  read_tables();
}

rank_image::~rank_image() { close(fd_); }

void rank_image::read_tables() {
  struct stat about{};
  if (fstat(fd_, &about) != 0) throw_io(path_, "cannot be looked at");
  if (read(fd_, &header_, sizeof header_) != static_cast<ssize_t>(sizeof header_)) damaged("it ends within its header");
  if (header_.magic != file_magic) damaged("it does not begin as an image does");
  if (header_.checksum != XXH3_64bits(&header_, offsetof(file_header, checksum))) damaged("its header's checksum is wrong");
  if (header_.version != format_version || header_.abi_version != lower::abi_version)
    throw image_error(error_kind::version, path_ + ": the image has format " + std::to_string(header_.version) + "." +
                      std::to_string(header_.abi_version) + ", this mana reads " + std::to_string(format_version) + "." +
                      std::to_string(lower::abi_version) + "; restart with the version of mana that wrote it");
  std::uint64_t here[4];
  read_cpu_features(here);
  for (int i = 0; i < 4; ++i)
    if ((header_.cpu_features[i] & ~here[i]) != 0)
      throw image_error(error_kind::cpu, path_ + ": the program ran on a processor with features that this one lacks; "
                        "restart on a processor of the same kind");
  if (header_.tables_bytes > static_cast<std::uint64_t>(about.st_size)) damaged("it ends within its tables");

  std::vector<std::uint8_t> tables(header_.tables_bytes);
  for (std::size_t done = 0; done < tables.size();) {
    const ssize_t n = read(fd_, tables.data() + done, tables.size() - done);
    if (n <= 0) damaged("it ends within its tables");
    done += static_cast<std::size_t>(n);
  }
  if (header_.tables_checksum != XXH3_64bits(tables.data(), tables.size())) damaged("the checksum of its tables is wrong");
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
    regions_.push_back({r.begin, r.end, static_cast<int>(r.protection), r.shared != 0, r.offset, {bytes.begin(), bytes.end()}});
  }
}

std::span<const std::uint8_t> rank_image::section(const std::string& name) const {
  for (const image::section& s : sections_)
    if (s.name == name) return s.bytes;
  damaged("it has no section \"" + name + "\"");
}

/// Private mappings of files come back as anonymous memory with their contents. Shared ones map the file again, if it
/// can be opened as it was.
void rank_image::map_region(const region& r) const {
  int flags = MAP_FIXED_NOREPLACE | MAP_NORESERVE | (r.shared ? MAP_SHARED : MAP_PRIVATE);
  int fd = -1;
  const bool deleted = r.path.ends_with(" (deleted)");
  const bool writable = (r.protection & PROT_WRITE) != 0;
  if (r.shared && !r.path.empty() && !deleted) {
    fd = open(r.path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (fd < 0) throw_io(r.path, "a file that the program had mapped cannot be opened");
  } else {
    flags |= MAP_ANONYMOUS;
  }
  const int protection = fd >= 0 && !writable ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const wanted = reinterpret_cast<void*>(r.begin);
  void* const got = mmap(wanted, r.end - r.begin, protection, flags, fd, fd >= 0 ? static_cast<off_t>(r.offset) : 0);
  const int error = errno;
  if (fd >= 0) close(fd);
  if (got == wanted) return;
  if (got != MAP_FAILED) munmap(got, r.end - r.begin);
  throw image_error(error == EEXIST || got != MAP_FAILED ? error_kind::occupied : error_kind::io,
                    path_ + ": the program's memory " + as_text(r) + " cannot be mapped: " + std::strerror(error));
}

template <class Target>
std::uint64_t rank_image::read_chunks(Target&& target) {
  lseek(fd_, static_cast<off_t>(sizeof header_ + header_.tables_bytes), SEEK_SET);
  file_reader in(fd_, path_);
  const std::unique_ptr<char[]> packed(new char[chunk_bytes]);
  struct free_state { void operator()(XXH3_state_t* s) const noexcept { XXH3_freeState(s); } };
  const std::unique_ptr<XXH3_state_t, free_state> headers(XXH3_createState());
  XXH3_64bits_reset(headers.get());
  std::uint64_t chunks = 0, memory = 0;
  for (;;) {
    chunk_header h{};
    if (!in.read(&h, sizeof h)) damaged("it ends within its memory");
    if (h.address == trailer_magic) {        // no address: a trailer begins here, one word longer than a chunk's header
      trailer end{};
      std::memcpy(&end, &h, sizeof h);
      if (!in.read(&end.chunks_checksum, sizeof end.chunks_checksum) || !in.at_end()) damaged("its end is wrong");
      if (end.chunk_count != chunks || end.memory_bytes != memory || end.chunks_checksum != XXH3_64bits_digest(headers.get()))
        damaged("chunks are missing");
      return memory;
    }
    if (h.memory_bytes == 0 || h.memory_bytes > chunk_bytes || h.stored_bytes > h.memory_bytes) damaged("a chunk's header is wrong");
    char* const place = target(h);
    if (h.stored_bytes == h.memory_bytes) {
      if (!in.read(place, h.memory_bytes)) damaged("it ends within its memory");
    } else {
      if (!in.read(packed.get(), h.stored_bytes)) damaged("it ends within its memory");
      if (LZ4_decompress_safe(packed.get(), place, static_cast<int>(h.stored_bytes), static_cast<int>(h.memory_bytes)) !=
          static_cast<int>(h.memory_bytes))
        damaged("a chunk cannot be unpacked");
    }
    if (XXH3_64bits(place, h.memory_bytes) != h.checksum) damaged("a chunk's checksum is wrong");
    XXH3_64bits_update(headers.get(), &h, sizeof h);
    ++chunks;
    memory += h.memory_bytes;
  }
}

void rank_image::restore_memory() {
  for (const region& r : regions_) map_region(r);
  std::size_t at = 0;
  read_chunks([&](const chunk_header& h) {
    while (at < regions_.size() && regions_[at].end <= h.address) ++at;   // both ascend
    if (at == regions_.size() || h.address < regions_[at].begin || h.address + h.memory_bytes > regions_[at].end)
      damaged("a chunk lies outside the program's memory");
    return reinterpret_cast<char*>(h.address);
  });
  for (const region& r : regions_) {
    if (mprotect(reinterpret_cast<void*>(r.begin), r.end - r.begin, r.protection) == 0) continue;
    throw image_error(error_kind::io, path_ + ": the program's memory " + as_text(r) + " cannot be protected as it was: " +
                      std::strerror(errno));
  }
}

std::uint64_t rank_image::verify() {
  const std::unique_ptr<char[]> memory(new char[chunk_bytes]);
  return read_chunks([&](const chunk_header&) { return memory.get(); });
}

}  // namespace mana::image
