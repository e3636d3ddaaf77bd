// Loads an ELF file into the window as the kernel would.
#pragma once
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/window_map.hpp>

#include <elf.h>

#include <string>
#include <vector>

namespace mana::split {

/// A program or dynamic linker, checked and open.
class elf_file {
 public:
  /// errors: load_error, codes 66 to 68
  explicit elf_file(std::string path);
  ~elf_file();
  elf_file(const elf_file&) = delete;
  elf_file& operator=(const elf_file&) = delete;

  const std::string& path() const noexcept { return path_; }
  bool fixed() const noexcept { return header_.e_type == ET_EXEC; }
  /// Path of the file's dynamic linker; empty if it has none.
  const std::string& interpreter() const noexcept { return interpreter_; }
  bool wants_executable_stack() const noexcept;
  std::size_t segment_count() const noexcept { return segments_.size(); }
  /// Bytes of address space, in whole pages, and the alignment that the segments ask for.
  std::size_t span_bytes() const noexcept;
  std::size_t alignment() const noexcept;

  /// Maps all segments at `base` (ignored for fixed programs) and returns the addresses taken.
  /// errors: load_error (63) with the memory that is in the way
  address_range map(std::uintptr_t base);

  std::uintptr_t entry() const noexcept { return bias_ + header_.e_entry; }
  std::uintptr_t program_headers() const noexcept;
  /// The places of code and data, as the kernel counts them. Call it after map().
  program_places places() const noexcept;
  /// Whether a mapped executable segment holds the bytes of a `syscall` instruction.
  bool makes_system_calls() const noexcept;

 private:
  void read_headers();
  address_range file_range() const noexcept;
  std::uintptr_t code_end() const noexcept;      // as linked
  void map_segment(const Elf64_Phdr& segment);
  [[noreturn]] void fail(int code, const std::string& why) const;

  std::string path_, interpreter_;
  int fd_ = -1;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::uintptr_t bias_ = 0;   // address in memory minus address in the file
};

}  // namespace mana::split
