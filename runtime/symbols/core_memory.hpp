// The memory of a process, from its core dump.
#pragma once
#include <runtime/symbols/memory_view.hpp>

#include <elf.h>

#include <vector>

namespace mana::symbols {

class core_memory final : public memory_view {
 public:
  /// errors: memory_error if the file cannot be read, or is not a core dump of an x86-64 process
  explicit core_memory(const std::string& path);
  ~core_memory() override;
  /// Bytes that the core omits come from the mapped files, if these exist.
  bool read(std::uintptr_t address, void* to, std::size_t n) const noexcept override;
  std::string file_at(std::uintptr_t address) const override;
  /// The program that the kernel started: the lower half. Empty: the core does not tell.
  std::string program() const;

 private:
  struct mapped { std::uint64_t begin, end, offset; std::string path; };   // offset: bytes in the file
  [[noreturn]] static void fail(const std::string& why, int error = 0);
  void read_headers();
  void read_notes(const Elf64_Phdr& segment);
  void read_files(const std::vector<char>& note);
  bool from_core(std::uintptr_t address, void* to, std::size_t n) const noexcept;
  bool from_file(std::uintptr_t address, void* to, std::size_t n) const noexcept;
  const mapped* file_of(std::uintptr_t address) const noexcept;

  int fd_ = -1;
  std::vector<Elf64_Phdr> segments_;
  std::vector<mapped> files_;
  std::uint64_t entry_ = 0;                    // AT_ENTRY
};

}  // namespace mana::symbols
