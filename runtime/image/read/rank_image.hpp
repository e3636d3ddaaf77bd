// A rank's image, restored in a fresh process. image_writer.hpp writes it.
#pragma once
#include <runtime/files/image_error.hpp>
#include <runtime/image/format/contents.hpp>
#include <runtime/image/format/processor.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/image/read/file_runs.hpp>
#include <runtime/image/read/first_use.hpp>
#include <runtime/image/read/reserved_mapping.hpp>

#include <mana/image/format.hpp>

#include <runtime/files/path_map.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::image {

/// The file of a private mapping.
struct private_file {
  int fd = -1;                       // for reading; the receiver closes it; -1: the mapping comes back as memory
  std::vector<page_range> own = {};  // pages that are the program's own by now; ascending
};

/// Takes part in a restore, and sees the memory that the program can write to.
struct memory_visitor {
  /// Descriptor, for reading and writing, of the object that a shared mapping without a file's name shows.
  /// out: -1: the mapping has memory of its own
  std::function<int(const region&)> object_of = [](const region&) { return -1; };
  /// Id of the System V segment that the mapping shows; -1: it shows none, and object_of is asked.
  std::function<int(const region&)> segment_of = [](const region&) { return -1; };
  /// Whether a shared mapping that was read-only at the checkpoint could become writable; nothing: unknown.
  std::function<std::optional<bool>(const region&)> may_be_written = [](const region&) { return std::nullopt; };
  /// Descriptor, for writing, of the file whose contents the region is, not memory; -1: it is memory.
  std::function<int(const region&)> contents_of = [](const region&) { return -1; };
  /// Of a private mapping of a file with a name.
  std::function<private_file(const region&)> private_file_of = [](const region&) { return private_file(); };
  /// Whether the program asked for no reservation (MAP_NORESERVE).
  std::function<bool(const region&)> is_unreserved = [](const region&) { return true; };
  /// Called for a reservation of the program's that the kernel does not grant here.
  std::function<void(const region&)> not_reserved = [](const region&) {};
  /// Called when all is mapped, before it is filled.
  std::function<void()> begin = [] {};
  /// Sees memory while it is in the processor's cache. The memory of a region comes in ascending order, without what
  /// reads as zeros. If empty, memory is read faster, in any order.
  std::function<void(std::span<const std::uint64_t> memory, const region& of)> see;
  /// Called with the number of bytes of memory that were filled, or mapped so that they will be.
  std::function<void(std::uint64_t)> filled = [](std::uint64_t) {};
  /// Called when all memory is filled, before it is protected.
  std::function<void()> end = [] {};
};

class chunk_reader;

/// The work that a lazy restart has left. It must not outlive the image.
struct lazy_memory {
  lazy_memory();
  lazy_memory(lazy_memory&&) noexcept;
  lazy_memory& operator=(lazy_memory&&) noexcept;
  ~lazy_memory();

  std::vector<page_range> mapped;    // from the images' files: read at the first use
  std::vector<page_range> cut;       // regions of which that is a part: several mappings for the program's one
  std::vector<chunk_record> unread;  // whose checksums nobody has compared
  std::string no_execution;          // a file that its file system keeps from being mapped; empty: none
  std::unique_ptr<chunk_reader> in;  // holds the mapped files open: their names may go
};

/// First address of the region behind the file's end. The file must still cover the pages that are stored.
std::uintptr_t limit_of_file(const region& r, int fd);

class rank_image {
 public:
  /// errors: image_error of kind version where this mana does not restart the image
  void check_version() const;

  /// Reads and checks all except the memory.
  /// in:     roots  as chunk_reader has them
  /// errors: image_error (missing, damaged, version, not_own, io)
  explicit rank_image(std::string path, std::vector<std::string> roots = {});
  ~rank_image();
  rank_image(const rank_image&) = delete;
  rank_image& operator=(const rank_image&) = delete;

  const contents& about() const noexcept { return contents_; }
  const std::string& path() const noexcept { return path_; }
  const file_header& header() const noexcept { return contents_.header; }
  const std::vector<region>& regions() const noexcept { return contents_.regions; }
  /// errors: image_error (damaged) if the image has no such section
  std::span<const std::uint8_t> section(const std::string& name) const;

  /// Reads chunks, also those in other files. It must not outlive the image.
  std::unique_ptr<chunk_reader> reader() const;

  bool has_section(const std::string& name) const noexcept;

  /// Maps every region at its address, fills it and sets its protection.
  /// in:     moved  new paths of files that were elsewhere at the checkpoint
  /// errors: image_error (version, cpu): nothing was done; (missing, file, occupied, damaged, io): the regions mapped
  ///         so far stay, and the process is of no further use
  void restore_memory(const memory_visitor& visitor = {}, const files::path_map& moved = {});
  /// As restore_memory(), but maps memory from files if they hold it unpacked, in pieces that are worth a mapping. This
  /// concerns the regions that `may_be_lazy`. Mapped memory is read at its first use, and the visitor does not see it.
  /// The files must stay unchanged; their names may go.
  lazy_memory restore_lazily(const memory_visitor& visitor, const files::path_map& moved,
                             const std::function<bool(const region&)>& may_be_lazy);
  /// Reads the memory that was left, and the parts of the file that nobody has read yet, and compares the checksums.
  /// errors: image_error (missing, damaged, io)
  void check_unread(lazy_memory& left);
  /// Checks that the files of other generations that hold the memory exist, and are those that this image was made
  /// with.
  /// errors: image_error (missing, damaged, not_own, io)
  void check_sources() const;
  /// Checks that the program's files that hold its memory exist, and are of the checkpoint's builds.
  /// in:     moved  new paths of files that were elsewhere at the checkpoint; later steps use it too
  /// errors: image_error (file, io)
  void check_program_files(const files::path_map& moved);
  /// Reads all chunks, also those in other files, and compares their checksums. Restores nothing.
  /// in:  read           called with the number of bytes of memory of each
  ///      program_files  also chunks in the program's files; check_program_files() says where these are
  /// out: bytes of memory
  /// errors: image_error (missing, damaged, io)
  std::uint64_t verify(const std::function<void(std::uint64_t)>& read = [](std::uint64_t) {}, bool program_files = true);
  /// Of the trailer, as in write_result: tells this image from every other, without reading its memory.
  std::uint64_t checksum() const noexcept { return contents_.identity; }

 private:
  void check_machine() const;
  /// How a region was mapped.
  struct place {
    std::uintptr_t limit;            // end of the fillable part
    int object = -1;                 // file without a name that is filled; -1: memory is filled
    bool is_memory = true;           // false: it is contents of the object, and nothing is mapped
    bool is_closed = false;          // nothing is filled: it already has its final protection
    std::vector<page_range> shown = {};      // pages of a file, which its mapping shows
  };
  place map_region(const region& r, const memory_visitor& visitor) const;
  void* map_part(const region& of, const wanted_mapping& wanted, const memory_visitor& visitor) const;
  bool holds_any(const page_range& r) const noexcept;
  std::optional<place> map_privately(const region& r, const memory_visitor& visitor) const;
  static bool is_shown_by_file(const place& at, const chunk_record& c) noexcept;
  static void show_files(std::span<const place> places) noexcept;
  std::vector<place> map_regions(const memory_visitor& visitor, const files::path_map& moved);
  void map_run(const file_run& run, const region& of, chunk_reader& in, const memory_visitor& visitor) const;
  std::vector<file_run> mappable_runs(const std::function<bool(const region&)>& may_be_lazy, lazy_memory& left) const;
  void fill(std::span<const place> places, const memory_visitor& visitor, chunk_reader& in);
  void fill_shared(const chunk_record& c, const region& r, const place& at, chunk_reader& in);
  void fill_one(const chunk_record& c, const region& r, const place& at, chunk_reader& in, first_use& pages);
  std::vector<file_run> fillable_runs(std::span<const place> places) const;
  std::vector<page_range> cut_by(const std::vector<file_run>& runs) const;
  void close_for_good(const region& r, const memory_visitor& visitor) const;
  void protect(std::span<const place> places, const memory_visitor& visitor) const;
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  std::vector<std::string> roots_;
  files::path_map moved_;            // paths of the program's files
  int fd_ = -1;
  contents contents_;
};

}  // namespace mana::image
