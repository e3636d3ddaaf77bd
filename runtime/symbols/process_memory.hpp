// The memory of a running process, which may be this one.
#pragma once
#include <runtime/symbols/memory_view.hpp>

#include <map>

namespace mana::symbols {

class process_memory final : public memory_view {
 public:
  /// in:     pid  as the name of a directory of /proc; "self" is this process
  /// errors: memory_error if no such process exists, or the system refuses to read its memory
  explicit process_memory(const std::string& pid);
  ~process_memory() override;
  bool read(std::uintptr_t address, void* to, std::size_t n) const noexcept override;
  std::string file_at(std::uintptr_t address) const override;

 private:
  struct mapped { std::uintptr_t end; std::string path; };
  void read_maps(const std::string& pid);

  std::map<std::uintptr_t, mapped> files_;   // by their begin
  int fd_ = -1;
};

}  // namespace mana::symbols
