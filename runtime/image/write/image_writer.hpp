// Writes a rank's image.
#pragma once
#include <runtime/files/output_file.hpp>
#include <runtime/files/write_meter.hpp>
#include <runtime/image/changes/change_tracker.hpp>
#include <runtime/image/format/checksum.hpp>
#include <runtime/image/format/contents.hpp>
#include <runtime/image/format/grow_array.hpp>
#include <runtime/image/format/packing.hpp>
#include <runtime/image/format/processor.hpp>
#include <runtime/image/memory/memory_observer.hpp>
#include <runtime/image/memory/own_memory.hpp>
#include <runtime/image/memory/page_sums.hpp>
#include <runtime/image/memory/shared_value.hpp>
#include <runtime/image/origins/program_files.hpp>
#include <runtime/image/write/pack_crew.hpp>
#include <runtime/image/write/process_copy.hpp>
#include <runtime/image/write/window.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::image {

/// An image that the next one may refer to, in a directory of the same checkpoints.
struct base_image {
  std::vector<source> sources;       // the base itself is the first
  std::vector<chunk_record> chunks;  // as contents::chunks; source n: sources[n - 1], never 0
  page_sums sums;                    // the known ones
};

/// in: from  of generation `generation`, in its file `name`
base_image as_base(const contents& from, std::uint64_t generation, const std::string& name);

struct image_plan {
  std::string path;
  std::uint32_t rank = 0, world_size = 1;
  std::vector<section> sections;
  std::vector<region> regions;       // ascending
  processor_features needed;         // of the processor, to restart
  packing how;
  unsigned pack_threads = 1;         // with the writer's own, 1 … pack_crew::most_threads. Only in mode auto_lz4 the
                                     // image's bytes depend on it
  std::uint64_t most_per_s = 0;      // bytes; 0: no limit
  const base_image* base = nullptr;  // nullptr: all memory is written. Lives as long as the writer
  shown_files shown;                 // must not change until the image is written
  std::vector<page_range> unwritten; // since the base; ascending
  std::vector<file_origin> origins;  // memory that may be referred to in files of the program; no two overlap
  std::string node;                  // its ranks share copies of those files in the image's directory; empty: the image
                                     // refers to the files themselves
  unsigned node_ranks = 0;           // of that node; 0: unknown: files are shared even if they are not worth a copy
  std::uint64_t generation = 0;      // number of the image's; for copies
  bool sums = false;                 // are wanted afterwards
  bool may_be_advised = true;        // by madvise; false: no mapping ever was
  bool limited = true;               // by the user's limit
  bool for_directory = true;         // of checkpoints, now or later; else it stays on the node
  page_source* pages = nullptr;      // source of the memory; nullptr: this process. Lives as long as the writer
  files::write_meter* meter = nullptr;  // counts finished memory, of about the amount there is; nullptr: nobody asks.
                                        // Lives as long as the writer
  std::shared_ptr<memory_observer> observer;   // sees memory that the program can write to; nullptr: none
};

struct write_result {
  std::uint64_t file_bytes = 0;
  std::uint64_t memory_bytes = 0;    // of the regions' pages that the image holds
  std::uint64_t kept_bytes = 0;      // of these, the part in files of the base
  std::uint64_t referred_bytes = 0;  // of these, the part in files of the program
  std::uint64_t stored_bytes = 0;    // bytes in the file of the remaining memory
  std::uint64_t writer_bytes = 0;    // memory that the writer took for itself, at most
  std::uint64_t checksum = 0;        // of the file's trailer, which covers all before it
  double sync_s = 0;                 // from the last byte until the file was durable
};

/// write_shared() and finish() do not allocate, lock or throw: finish() may run in a process that was forked while
/// other threads held locks.
class image_writer {
 public:
  /// Makes the file, of mode 0600. The file is removed again unless finish() or taken_over() succeeds.
  /// errors: image_error (io), std::bad_alloc
  explicit image_writer(image_plan plan);

  /// Writes the memory that others can write to as well, contents of files, and memory that a copy of the process would
  /// lack. Call it before the program continues, and before a fork.
  bool write_shared() noexcept;
  /// Writes all other memory, the tables, and the end. The file is durable when this returns true.
  bool finish() noexcept;
  /// A process that was forked after write_shared() has finished the file.
  void taken_over() noexcept { out_.taken_over(); }

  /// Copies the files that no other rank has begun to copy. Any time after the constructor, but not in a copy of the
  /// process.
  /// out: the copies made    errors: image_error (io)
  std::vector<made_copy> copy_files() const;

  const write_result& result() const noexcept { return result_; }
  const files::io_failure& failure() const noexcept { return out_.failure(); }
  /// The failure() in words for people.
  std::string failure_text(const files::io_failure& why) const;
  page_sums take_sums() noexcept { return std::move(sums_); }

 private:
  struct message { char text[200]; };
  enum class found { nothing, something, failure };

  bool write_regions(bool first) noexcept;
  bool write_windows(const region& r) noexcept;
  found fill(window& w) noexcept;
  bool is_unwritten(std::uintptr_t at) noexcept;
  void show(const window& w, const bool* copied) noexcept;
  void judge(window& w, const bool* copied) noexcept;
  void choose_runs(window& w) noexcept;
  bool take_oldest() noexcept;
  bool store(window& w, window::run& run, bool is_packed) noexcept;
  char* put(window& w, window::run& run, bool is_packed) noexcept;
  bool keep(std::uintptr_t begin, std::uintptr_t end) noexcept;
  void find_in_files(window& w) noexcept;
  bool refer(const window& w, std::size_t first, std::size_t end) noexcept;
  bool write_tables() noexcept;
  bool write_observed() noexcept;
  std::uint64_t own_bytes() const noexcept;
  bool add_to_tables(const void* data, std::size_t bytes) noexcept;
  bool write_chunk_records() noexcept;
  const char* name_unreadable(const region& r) noexcept;
  bool fail_here(const char* what) noexcept { return out_.fail(what, errno); }

  image_plan plan_;
  files::output_file out_;
  own_memory own_;
  page_source& memory_;                      // own_, or the plan's
  packing_choice choice_;
  pack_crew crew_;
  page_sums sums_;
  std::optional<program_files> files_;
  std::vector<std::uint16_t> number_of_;     // of a source of the files' in the image
  std::vector<char> tables_;                 // all except the observed section and the chunks' records
  section_header observed_{};
  checksum_state tables_sum_;
  grow_array<chunk_record> first_, rest_;
  grow_array<chunk_record>* records_ = &first_;
  const region* region_ = nullptr;           // of the records that are being made
  std::size_t first_of_region_ = 0;          // no record covers memory of two regions
  std::size_t next_unwritten_ = 0;
  trailer end_{};
  shared_value<message> unreadable_;
  write_result result_;
};

/// Writes an image in one call.     errors: image_error (io); an incomplete file is removed
write_result write_rank_image(image_plan plan);
write_result write_rank_image(const std::string& path, std::uint32_t rank, std::uint32_t world_size,
                              std::vector<section> sections, std::vector<region> regions,
                              const processor_features& needed = features_here());

}  // namespace mana::image
