// A rank's image, restored in a fresh process. How it is written: image_writer.hpp.
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

/// What a private mapping of a file showed.
struct private_file {
  int fd = -1;                       // for reading; whoever gets it closes it; -1: the mapping comes back as memory
  std::vector<page_range> own = {};  // pages that are the program's own by now; ascending
};

/// Takes part in how memory comes back, and sees what of it the program can write.
struct memory_visitor {
  /// Descriptor, for reading and writing, of the object that a shared mapping without a file's name shows; -1: it is memory
  /// of its own.
  std::function<int(const region&)> object_of = [](const region&) { return -1; };
  /// Id of the System V segment that one shows; -1: it is none, object_of is asked.
  std::function<int(const region&)> segment_of = [](const region&) { return -1; };
  /// Of a shared mapping that could not be written to at the checkpoint: whether it could become so; nothing: unknown.
  std::function<std::optional<bool>(const region&)> may_be_written = [](const region&) { return std::nullopt; };
  /// Descriptor, for writing, of the file whose contents this is, of which no memory is made; -1: it is memory.
  std::function<int(const region&)> contents_of = [](const region&) { return -1; };
  /// Of a private mapping with a file's name.
  std::function<private_file(const region&)> private_file_of = [](const region&) { return private_file(); };
  /// The program asked for no reservation (MAP_NORESERVE).
  std::function<bool(const region&)> is_unreserved = [](const region&) { return true; };
  /// Told of one that it asked for, and the kernel does not give here.
  std::function<void(const region&)> not_reserved = [](const region&) {};
  /// When all is mapped, before it is filled.
  std::function<void()> begin = [] {};
  /// While the memory is in the processor's cache. The memory of a region comes in ascending order; what reads as zeros is
  /// not shown. Without it, memory is read faster, in any order.
  std::function<void(std::span<const std::uint64_t> memory, const region& of)> see;
  /// Told of the bytes of memory that are there, or are mapped so that they will be.
  std::function<void(std::uint64_t)> filled = [](std::uint64_t) {};
  /// When all is there, before it is protected.
  std::function<void()> end = [] {};
};

class chunk_reader;

/// What a lazy restart left to be done. It must not live longer than the image.
struct lazy_memory {
  lazy_memory();
  lazy_memory(lazy_memory&&) noexcept;
  lazy_memory& operator=(lazy_memory&&) noexcept;
  ~lazy_memory();

  std::vector<page_range> mapped;    // from the images' files: read when it is used
  std::vector<page_range> cut;       // regions of which that is a part: several mappings where the program made one
  std::vector<chunk_record> unread;  // whose checksums nobody has compared
  std::string no_execution;          // a file that nothing was mapped from, as its file system is mounted so; empty: there is none
  std::unique_ptr<chunk_reader> in;  // has the files open that were mapped: their names may go
};

/// First address of the region that the file does not reach. It must still reach as far as the pages that are stored.
std::uintptr_t limit_of_file(const region& r, int fd);

class rank_image {
 public:
  /// errors: image_error of kind version where this mana does not restart the image
  void check_version() const;

  /// Reads and checks all but the memory.
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
  /// errors: image_error (damaged) if there is none of this name
  std::span<const std::uint8_t> section(const std::string& name) const;

  /// Reads chunks, those in other files too. It must not live longer than the image.
  std::unique_ptr<chunk_reader> reader() const;

  bool has_section(const std::string& name) const noexcept;

  /// Maps every region at its address, fills it and gives it its protection.
  /// in:     moved  where files are that had another path at the checkpoint
  /// errors: image_error (version, cpu): nothing was done yet; (missing, file, occupied, damaged, io): what was mapped until
  ///         then stays, the process is of no use any more
  void restore_memory(const memory_visitor& visitor = {}, const files::path_map& moved = {});
  /// The same, but what is stored as it is, in pieces that are worth a mapping, is mapped from the files, if it is of a
  /// region that `may_be_lazy`: it is read when it is used, and the visitor does not see it. The files must stay as they are;
  /// their names may go.
  lazy_memory restore_lazily(const memory_visitor& visitor, const files::path_map& moved,
                             const std::function<bool(const region&)>& may_be_lazy);
  /// Reads what was left, and all else of the file that nobody has looked at, and compares the checksums.
  /// errors: image_error (missing, damaged, io)
  void check_unread(lazy_memory& left);
  /// The files of other generations that the memory is in are there, and those that this image was made with.
  /// errors: image_error (missing, damaged, not_own, io)
  void check_sources() const;
  /// The files of the program's that its memory is in are there, and of the builds of the checkpoint.
  /// in:     moved  where files are that had another path at the checkpoint; of later steps too
  /// errors: image_error (file, io)
  void check_program_files(const files::path_map& moved);
  /// Reads all chunks, those in other files too, and compares their checksums, without restoring anything.
  /// in:  read  told of the bytes of memory of each
  ///      program_files  also chunks that are there; check_program_files() says where
  /// out: bytes of memory
  /// errors: image_error (missing, damaged, io)
  std::uint64_t verify(const std::function<void(std::uint64_t)>& read = [](std::uint64_t) {}, bool program_files = true);
  /// Of the trailer, as write_result has it: tells this image from every other, without reading its memory.
  std::uint64_t checksum() const noexcept { return contents_.identity; }

 private:
  void check_machine() const;
  /// Of a region, as it was mapped.
  struct place {
    std::uintptr_t limit;            // end of what can be filled
    int object = -1;                 // file without a name that is filled; -1: memory is
    bool is_memory = true;           // false: it is contents of the object, and nothing is mapped
    bool is_closed = false;          // nothing is filled: it is mapped as it is to be
    std::vector<page_range> shown = {};      // pages of a file, which come back by themselves
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
  files::path_map moved_;            // files of the program's
  int fd_ = -1;
  contents contents_;
};

}  // namespace mana::image
