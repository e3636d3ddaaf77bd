// Reads unpacked memory from files directly to its place, past the page cache, several pieces at a time.
#pragma once
#include <runtime/files/async_io.hpp>
#include <runtime/image/read/chunk_reader.hpp>
#include <runtime/image/read/file_runs.hpp>
#include <runtime/image/read/first_use.hpp>

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace mana::image {

/// If the file system cannot do that, or the page cache has the data already, chunks are read one after the other.
class run_reader {
 public:
  /// in: from   opens the files, and reads the chunks that cannot be read directly
  ///     pages  of the memory that is filled
  run_reader(const contents& image, chunk_reader& from, first_use& pages);
  ~run_reader();
  run_reader(const run_reader&) = delete;
  run_reader& operator=(const run_reader&) = delete;

  /// Reads the chunks of all runs to their addresses, and compares checksums. The memory is mapped and writable.
  /// in:     runs    of whole chunks, ascending
  ///         filled  called with the number of bytes of memory that were filled
  /// errors: image_error (missing, damaged, io)
  void read(std::span<const file_run> runs, const std::function<void(std::uint64_t)>& filled = [](std::uint64_t) {});

 private:
  static constexpr std::size_t most_pieces = files::async_queue::most_under_way, piece_bytes = 1u << 20;
  static_assert(most_pieces * piece_bytes >= 2 * first_use::stretch_bytes,
                "the disk has nothing to do while a stretch of memory gets its pages");

  struct piece {
    page_range memory{};
    bool under_way = false;
    bool is_there = false;           // false: its chunks are still unread
  };

  int direct_file(const file_run& run);
  bool is_cached(const file_run& run);
  void begin_next();
  void retire_oldest();
  void await(piece& wanted);
  void finish_chunks(std::uintptr_t end);

  const contents& image_;
  chunk_reader& from_;
  first_use& pages_;
  files::async_queue queue_;
  bool has_queue_ = false;
  std::vector<int> direct_;              // descriptors by source; not_tried, not_possible
  std::span<const file_run> runs_;
  std::size_t run_ = 0;                  // the next piece belongs to it
  int run_file_ = -1;                    // its descriptor; not_possible: its chunks are read one after the other
  std::uintptr_t next_ = 0;              // where the next piece begins
  std::array<piece, most_pieces> pieces_;
  std::size_t first_ = 0, count_ = 0;    // pieces under way
  std::size_t chunk_ = 0;                // the first that is not finished
  page_range missing_{};                 // the last part that could not be read
};

}  // namespace mana::image
