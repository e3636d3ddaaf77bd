// The program's memory as the writer of an image reads it, in the process itself or in a forked copy.
#pragma once
#include <runtime/image/format/regions.hpp>
#include <runtime/image/memory/page_source.hpp>
#include <runtime/image/memory/shared_pages.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::image {

/// INV-21 the writer packs what it sums, whatever changes meanwhile: a copy, never the memory itself. Memory may still
/// change where nobody cares: below the stack pointer of a thread that waits for the writer, or in files that other
/// processes map.
///
/// Only the constructor allocates or throws.
class own_memory final : public page_source {
 public:
  own_memory();
  ~own_memory() override;
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;

  /// Must be called by the process whose memory is read: what the kernel shows belongs to a process.
  /// out: false; errno says why
  bool open() noexcept override;

  /// Marks the pages of [begin, begin + pages) that may hold something. The kernel knows the untouched pages of private
  /// anonymous memory, guards, and holes of files that are in memory alone. All other pages of files may hold
  /// something.
  /// out: -1 failed, 0 none, 1 some
  int find_touched(const region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept override;

  /// An unreadable page is beyond the end of its file, or is a guard.
  bool copy(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept override;

  static constexpr std::size_t capacity = 32768;     // entries: 128 MiB of memory
  static constexpr std::size_t buffer_bytes = capacity * sizeof(std::uint64_t) + shared_pages::capacity;

 private:
  const std::uint64_t* page_entries(const region& r, std::uintptr_t begin, std::size_t pages) noexcept;
  bool read(std::uintptr_t begin, std::size_t bytes, char* into) const noexcept;
  bool read_pages(std::uintptr_t begin, std::size_t first, std::size_t end, bool* wanted, char* into) const noexcept;
  bool copy_private(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept;
  bool copy_file(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept;
  void close_all() noexcept;

  int pagemap_ = -1, memory_ = -1;
  std::uint64_t* entries_;
  std::uintptr_t begin_ = 0, end_ = 0;               // the memory that the entries describe
  shared_pages files_;
};

/// A page of zeros.
bool is_zero(const char* page) noexcept;

}  // namespace mana::image
