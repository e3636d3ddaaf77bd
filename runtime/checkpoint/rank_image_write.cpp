#include "checksum.hpp"
#include "file_stream.hpp"
#include "rank_image.hpp"

#include <mana/core/fault_points.hpp>
#include <mana/lower/abi.hpp>

#include <lz4.h>
#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace mana::image {

namespace {

constexpr std::size_t page = 4096;
static_assert(LZ4_MAX_INPUT_SIZE > chunk_bytes);

bool is_zero(const char* memory) noexcept {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(memory);
  for (std::size_t i = 0; i < page / sizeof *words; i += 8) {
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < 8; ++k) any |= words[i + k];
    if (any != 0) return false;
  }
  return true;
}

/// The file's tables, in memory.
class table_writer {
 public:
  void add(const section& s) {
    section_header h{};
    s.name.copy(h.name, sizeof h.name - 1);
    h.bytes = s.bytes.size();
    append(&h, sizeof h);
    append(s.bytes.data(), s.bytes.size());
  }
  void add(const region& r) {
    region_record h{};
    h.begin = r.begin;
    h.end = r.end;
    h.protection = static_cast<std::uint32_t>(r.protection);
    h.shared = r.shared ? 1 : 0;
    h.offset = r.offset;
    h.path_bytes = r.path.size();
    append(&h, sizeof h);
    append(r.path.data(), r.path.size());
  }
  const std::vector<char>& bytes() const noexcept { return bytes_; }

 private:
  void append(const void* data, std::size_t n) {
    const char* const at = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), at, at + n);
  }
  std::vector<char> bytes_;
};

/// Writes the chunks of one image.
class memory_writer {
 public:
  memory_writer(file_writer& out, const file_header& header) : out_(out), copy_(new char[chunk_bytes]) {
    headers_.add(&header.checksum, sizeof header.checksum);
    pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    memory_ = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (pagemap_ < 0 || memory_ < 0) throw_io("/proc/self", "the program's memory cannot be read");
  }
  ~memory_writer() {
    close(pagemap_);
    close(memory_);
  }
  memory_writer(const memory_writer&) = delete;
  memory_writer& operator=(const memory_writer&) = delete;

  void write(const region& r) {
    skipped_ = skip;        // its first chunk is tried
    for (std::uintptr_t at = r.begin; at < r.end; at += chunk_bytes)
      write_window(r, at, std::min(r.end, at + chunk_bytes));
  }

  trailer finish() const { return {trailer_magic, chunks_, memory_bytes_, headers_.digest()}; }
  std::uint64_t stored_bytes() const noexcept { return stored_bytes_; }

 private:
  static constexpr std::size_t pages_per_window = chunk_bytes / page;

  /// Runs of pages that hold something become chunks.
  void write_window(const region& r, std::uintptr_t begin, std::uintptr_t end) {
    const std::size_t pages = (end - begin) / page;
    bool wanted[pages_per_window];
    if (!find_touched(r, begin, pages, wanted)) return;
    copy(r, begin, pages, wanted);
    const char* const memory = copy_.get();
    // A file that is mapped again may hold anything by then: its zeros are kept too.
    if (!maps_file_again(r))
      for (std::size_t i = 0; i < pages; ++i) wanted[i] = wanted[i] && !is_zero(memory + i * page);
    for (std::size_t i = 0; i < pages;) {
      if (!wanted[i]) { ++i; continue; }
      std::size_t n = i;
      while (n < pages && wanted[n]) ++n;
      write_chunk(begin + i * page, memory + i * page, (n - i) * page);
      i = n;
    }
  }

  /// Pages of private anonymous memory that were never touched are known to the kernel; of files, all may hold
  /// something.
  bool find_touched(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted) {
    if (!r.path.empty() || r.shared) {
      std::fill_n(wanted, pages, true);
      return true;
    }
    constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
    const std::uint64_t* const entries = page_entries(r, begin, pages);
    bool any = false;
    for (std::size_t i = 0; i < pages; ++i) any |= wanted[i] = (entries[i] & present_or_swapped) != 0;
    return any;
  }

  /// Entries of the pagemap, read for many pages at a time: large reservations are mostly holes.
  const std::uint64_t* page_entries(const region& r, std::uintptr_t begin, std::size_t pages) {
    if (begin < entries_begin_ || begin + pages * page > entries_end_) {
      const std::size_t count = std::min((r.end - begin) / page, entries_capacity);
      const auto bytes = static_cast<ssize_t>(count * sizeof entries_[0]);
      if (pread(pagemap_, entries_.get(), static_cast<std::size_t>(bytes),
                static_cast<off_t>(begin / page * sizeof entries_[0])) != bytes)
        throw_io("/proc/self/pagemap", "cannot be read");
      entries_begin_ = begin;
      entries_end_ = begin + count * page;
    }
    return entries_.get() + (begin - entries_begin_) / page;
  }

  /// INV-21 what is packed is what is summed: never the memory itself, which may still change where nobody will miss it
  /// (below the stack pointer of a thread that waits for the writer, in files that other processes map), but a copy.
  void copy(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted) {
    // Not protected pages, and not those of files, which may end before their mapping does.
    const bool in_place = (r.protection & PROT_READ) != 0 && r.path.empty();
    for (std::size_t i = 0; i < pages;) {
      std::size_t n = i;
      while (n < pages && wanted[n] == wanted[i]) ++n;
      const char* const from = reinterpret_cast<const char*>(begin + i * page);
      if (wanted[i] && in_place) std::memcpy(copy_.get() + i * page, from, (n - i) * page);
      else if (wanted[i]) copy_pages(begin, i, n, wanted);
      i = n;
    }
  }
  void copy_pages(std::uintptr_t begin, std::size_t from, std::size_t to, bool* wanted) {
    const std::size_t bytes = (to - from) * page;
    if (pread(memory_, copy_.get() + from * page, bytes, static_cast<off_t>(begin + from * page)) ==
        static_cast<ssize_t>(bytes))
      return;
    for (std::size_t i = from; i < to; ++i)   // beyond the end of its file: not readable for the program either
      wanted[i] = pread(memory_, copy_.get() + i * page, page, static_cast<off_t>(begin + i * page)) ==
                  static_cast<ssize_t>(page);
  }

  void write_chunk(std::uintptr_t address, const char* memory, std::size_t bytes) {
    char* const place = out_.room(sizeof(chunk_header) + bytes);
    char* const body = place + sizeof(chunk_header);
    const std::size_t packed = is_tried() ? pack(memory, bytes, body) : 0;
    const std::size_t stored = packed > 0 ? packed : bytes;
    if (packed == 0) std::memcpy(body, memory, bytes);
    const chunk_header header{address, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(stored),
                              chunk_checksum(memory, bytes, body, stored)};
    std::memcpy(place, &header, sizeof header);
    out_.commit(sizeof header + stored);
    headers_.add(&header, sizeof header);
    ++chunks_;
    memory_bytes_ += bytes;
    stored_bytes_ += stored;
  }

  /// Memory that packs badly costs the most time for the least gain: it is packed only where the disk is slower still.
  bool is_tried() noexcept {
    if (packs_well_ || skipped_ == skip || out_.is_ahead_of_disk()) return true;
    ++skipped_;
    return false;
  }

  /// A chunk that does not shrink is stored as it is; LZ4 gives up at the limit. out: its size packed, 0 if it did not
  std::size_t pack(const char* memory, std::size_t bytes, char* into) noexcept {
    const int packed =
        LZ4_compress_fast(memory, into, static_cast<int>(bytes), static_cast<int>(bytes - 1), acceleration);
    packs_well_ = packed > 0 && static_cast<std::size_t>(packed) <= bytes / 2;
    skipped_ = 0;
    return packed > 0 ? static_cast<std::size_t>(packed) : 0;
  }

  static constexpr int acceleration = 4;   // a third faster than 1 for a few percent of the size
  static constexpr unsigned skip = 15;     // chunks, after one that packed badly

  file_writer& out_;
  std::unique_ptr<char[]> copy_;
  checksum_state headers_;
  static constexpr std::size_t entries_capacity = 32768;   // 128 MiB of memory
  std::unique_ptr<std::uint64_t[]> entries_{new std::uint64_t[entries_capacity]};
  std::uintptr_t entries_begin_ = 0, entries_end_ = 0;     // the memory that they describe
  bool packs_well_ = false;                                // the chunk that was tried last
  unsigned skipped_ = skip;                                // chunks since
  int pagemap_ = -1, memory_ = -1;
  std::uint64_t chunks_ = 0, memory_bytes_ = 0, stored_bytes_ = 0;
};

/// What a shared mapping of a file shows is in the file; only what the program could have changed is kept.
bool holds_memory(const region& r) noexcept { return !maps_file_again(r) || (r.protection & PROT_WRITE) != 0; }

}  // namespace

write_result write_rank_image(const std::string& path, std::uint32_t rank, std::uint32_t world_size,
                              std::span<const section> sections, std::span<const region> regions,
                              const processor_features& needed) {
  table_writer tables;
  for (const section& s : sections) tables.add(s);
  for (const region& r : regions) tables.add(r);

  file_header header{};
  header.magic = file_magic;
  header.version = format_version;
  header.abi_version = lower::abi_version;
  header.rank = rank;
  header.world_size = world_size;
  header.page_bytes = page;
  header.section_count = static_cast<std::uint32_t>(sections.size());
  header.region_count = static_cast<std::uint32_t>(regions.size());
  header.tables_bytes = tables.bytes().size();
  header.tables_checksum = XXH3_64bits(tables.bytes().data(), tables.bytes().size());
  std::copy(std::begin(needed.words), std::end(needed.words), header.cpu_features);
  header.checksum = XXH3_64bits(&header, offsetof(file_header, checksum));

  file_writer out(path);
  out.append(&header, sizeof header);
  out.append(tables.bytes().data(), tables.bytes().size());
  memory_writer memory(out, header);
  for (const region& r : regions)
    if (holds_memory(r)) memory.write(r);
  fault_point(fault::point::half_written);
  const trailer end = memory.finish();
  out.append(&end, sizeof end);
  fault_point(fault::point::before_sync);
  const std::uint64_t file_bytes = out.finish();
  return {file_bytes, end.memory_bytes, memory.stored_bytes(), XXH3_64bits(&end, sizeof end)};
}

}  // namespace mana::image
