// A file of the user's that a command makes: never one that is there already, and for its owner alone.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace mana::tools {

class new_file {
 public:
  /// errors: failure (usage) if there is something of this name, (directory_unwritable)
  explicit new_file(std::string path);
  /// Removes it unless finish() was called.
  ~new_file();
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  /// Bytes that were never written read as zeros.     errors: failure (directory_unwritable)
  void write(std::uint64_t at, std::span<const char> bytes);
  /// errors: failure (directory_unwritable)
  void finish(std::uint64_t size);

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int fd_ = -1;
  bool finished_ = false;
};

/// For its owner alone.     errors: failure (usage) if there is something of this name, (directory_unwritable)
void make_new_directory(const std::string& path);

}  // namespace mana::tools
