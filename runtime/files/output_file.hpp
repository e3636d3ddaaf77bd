// Writes one large file sequentially, as fast as its disk, with several parts under way.
//
// Only the constructor allocates or throws: a forked process writes too.
#pragma once
#include <runtime/files/async_io.hpp>
#include <runtime/files/own_directory.hpp>
#include <runtime/files/write_meter.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mana::files {

/// The reason why a step failed. what: nullptr: none failed
struct io_failure {
  const char* what = nullptr;
  int error = 0;             // errno
};

/// Writes past the page cache (O_DIRECT), whose copy costs more than a fast disk. If the file system does not support
/// that, it writes through the cache, and keeps the disk busy. After a failure all steps fail.
class output_file {
 public:
  /// Makes a new file of mode 0600, in a directory of this user's.
  /// in: most_per_s  bytes per second; 0: no limit     meter  tells when the file is given up; nullptr: never. Must
  ///     outlive the file
  /// errors: image_error (not_own, io)
  explicit output_file(std::string path, std::uint64_t most_per_s = 0, const write_meter* meter = nullptr);
  /// Removes an unfinished file, if this process made it.
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Room for up to `bytes` (at most a quarter of part_bytes), which the caller fills and then commits. out: nullptr:
  /// failed
  char* room(std::size_t bytes) noexcept;
  void commit(std::size_t bytes) noexcept { used_ += bytes; }
  bool append(const void* data, std::size_t bytes) noexcept;
  /// Writes zeros up to the next multiple of page_bytes.
  bool align() noexcept;

  /// The disk is slower than the writer: the last part waited for an earlier one.
  std::uint64_t position() const noexcept { return written_ + used_; }
  /// The disk is slower than the writer: the last part had waited for an earlier one.
  bool is_ahead_of_disk() const noexcept { return ahead_; }
  /// Waits until nothing is under way. A process that is forked afterwards may continue the file.
  bool settle() noexcept;
  /// out: true: the file is durable
  bool finish() noexcept;
  /// Call when a forked process has finished the file.
  void taken_over() noexcept;

  const std::string& path() const noexcept { return path_; }
  const io_failure& failure() const noexcept { return failure_; }
  bool fail(const char* what, int error) noexcept;
  /// Time to make the file durable, in seconds.
  double sync_s() const noexcept { return sync_s_; }

  static constexpr std::size_t part_bytes = 4u << 20;
  static constexpr unsigned parts = 4;
  static_assert(parts <= async_queue::most_under_way);
  static constexpr std::size_t buffer_bytes = parts * part_bytes;

 private:
  static constexpr std::uint64_t most_reserved = 64u << 20;
  static constexpr std::uint64_t under_way = 32u << 20;     // through the page cache: given to the disk, not waited for
  static constexpr std::chrono::milliseconds prompt{2};     // half of the time to pack a part

  char* part(unsigned i) const noexcept { return memory_ + i * part_bytes; }
  bool flush() noexcept;
  bool give(char* bytes, std::size_t n) noexcept;
  bool give_directly(std::size_t n) noexcept;
  void reserve(std::uint64_t end) noexcept;
  bool cut_to_length() noexcept;
  bool write_all(const char* bytes, std::size_t n, std::uint64_t at) noexcept;
  bool await_part(unsigned i) noexcept;
  bool await_all() noexcept;
  bool hear(const io_event& done) noexcept;
  bool keep_pace() noexcept;
  bool sync_range(std::uint64_t begin, std::uint64_t bytes, unsigned flags) noexcept;
  void keep_rate() noexcept;
  bool sync() noexcept;
  void become_direct() noexcept;
  bool leave_direct() noexcept;

  std::string path_;
  own_directory directory_;             // the file's directory
  int fd_ = -1;
  int maker_ = 0;                       // process
  char* memory_ = nullptr;              // of all parts
  unsigned current_ = 0;                // part that is filled
  std::size_t used_ = 0;                // bytes in it
  std::uint64_t written_ = 0;           // bytes before it, given to the kernel
  std::uint64_t waited_for_ = 0;
  std::uint64_t reserved_ = 0;          // length of the file, if it was extended beyond the written bytes
  bool may_reserve_ = true;
  bool tried_direct_ = false, direct_ = false, ahead_ = false;
  async_queue queue_;
  struct { std::uint64_t at = 0; std::size_t bytes = 0; } flights_[parts];   // bytes: 0: free
  std::uint64_t limit_, most_per_s_;
  const write_meter* meter_;
  std::chrono::steady_clock::time_point begun_;
  double sync_s_ = 0;
  io_failure failure_;
};

}  // namespace mana::files
