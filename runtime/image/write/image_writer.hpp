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
  page_sums sums;                    // as far as they are known
};

/// in: from  of generation `generation`, in its file `name`
base_image as_base(const contents& from, std::uint64_t generation, const std::string& name);

struct image_plan {
  std::string path;
  std::uint32_t rank = 0, world_size = 1;
  std::vector<section> sections;
  std::vector<region> regions;       // ascending
  processor_features needed;         // of the processor, to go on
  packing how;
  unsigned pack_threads = 1;         // the writer's own among them, 1 … pack_crew::most_threads. Only in mode auto_lz4 the
                                     // bytes of the image depend on it
  std::uint64_t most_per_s = 0;      // bytes; 0: no limit
  const base_image* base = nullptr;  // nullptr: all memory is written. Lives as long as the writer
  shown_files shown;                 // that are not to change until the image is written
  std::vector<page_range> unwritten; // since the base; ascending
  std::vector<file_origin> origins;  // memory that may be referred to in files of the program's; none overlaps another
  std::string node;                  // whose ranks share copies of those files in the image's directory; empty: the files
                                     // themselves are referred to
  unsigned node_ranks = 0;           // of that node: what is not worth a copy is stored; 0: not known, all is shared
  std::uint64_t generation = 0;      // number of the image's; for copies
  bool sums = false;                 // are wanted afterwards
  bool may_be_advised = true;        // by madvise; false: no mapping ever was
  bool limited = true;               // by the rate that the user has set
  bool for_directory = true;         // of checkpoints, now or later; else it stays on the node
  page_source* pages = nullptr;      // that memory is taken from; nullptr: of this process. Lives as long as the writer
  files::write_meter* meter = nullptr;  // counts memory that is done with, of about as much as there is; nullptr:
                                        // nobody asks. Lives as long as the writer
  std::shared_ptr<memory_observer> observer;   // sees memory that the program can write to; nullptr: none
};

struct write_result {
  std::uint64_t file_bytes = 0;
  std::uint64_t memory_bytes = 0;    // of the regions' pages that the image holds
  std::uint64_t kept_bytes = 0;      // of them: that are in files of the base
  std::uint64_t referred_bytes = 0;  // and in files of the program's
  std::uint64_t stored_bytes = 0;    // that the others take in the file
  std::uint64_t writer_bytes = 0;    // of memory that the writer took for itself, at most
  std::uint64_t checksum = 0;        // of the file's trailer, which covers all before it
  double sync_s = 0;                 // until it was durable, after the last byte
};

/// Between the constructor and the end nothing allocates, locks or throws: the second half may run in a process that was
/// forked off while other threads held any lock.
class image_writer {
 public:
  /// Makes the file, of mode 0600. It is removed again unless finish() or taken_over() was successful.
  /// errors: image_error (io), std::bad_alloc
  explicit image_writer(image_plan plan);

  /// Memory that others can write to as well, contents of files, and what a copy of the process would not have: before the
  /// program goes on, and before a fork.
  bool write_shared() noexcept;
  /// All other memory, the tables, and the end. The file is durable when this returns true.
  bool finish() noexcept;
  /// A process that was forked off after write_shared() has finished it.
  void taken_over() noexcept { out_.taken_over(); }

  /// Makes those copies of files that no other rank has begun. Any time after the constructor; not in a copy of the process.
  /// out: those    errors: image_error (io)
  std::vector<made_copy> copy_files() const;

  const write_result& result() const noexcept { return result_; }
  const files::io_failure& failure() const noexcept { return out_.failure(); }
  /// What failure() says, for people.
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
  std::vector<char> tables_;                 // all but what was observed, and the chunks' records
  section_header observed_{};
  checksum_state tables_sum_;
  grow_array<chunk_record> first_, rest_;
  grow_array<chunk_record>* records_ = &first_;
  const region* region_ = nullptr;           // of the records that are made
  std::size_t first_of_region_ = 0;          // no record gives memory of two regions
  std::size_t next_unwritten_ = 0;
  trailer end_{};
  shared_value<message> unreadable_;
  write_result result_;
};

/// Writes an image at once.     errors: image_error (io); a part of a file is removed
write_result write_rank_image(image_plan plan);
write_result write_rank_image(const std::string& path, std::uint32_t rank, std::uint32_t world_size,
                              std::vector<section> sections, std::vector<region> regions,
                              const processor_features& needed = features_here());

}  // namespace mana::image
