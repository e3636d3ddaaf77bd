// A file that a command makes for the user: it replaces no existing file, and only its owner can read it.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace mana::tools {

/// The file has a temporary name until it is complete: nobody takes a part of it for all, and a second try finds no
/// obstacle.
class new_file {
 public:
  /// errors: failure (usage) if a file of this name exists, (directory_unwritable)
  explicit new_file(std::string path);
  /// Removes the file unless finish() was called.
  ~new_file();
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  /// Bytes that were never written read as zeros.  errors: failure (directory_unwritable), interrupted
  void write(std::uint64_t at, std::span<const char> bytes);
  /// errors: failure (directory_unwritable), (usage) if a file of this name exists by now
  void finish(std::uint64_t size);

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_, part_;
  int fd_ = -1;
  bool finished_ = false;
};

/// A new directory with the files that a command makes in it, under the same rules.
class new_directory {
 public:
  /// errors: as new_file
  explicit new_directory(std::string path);
  ~new_directory();
  new_directory(const new_directory&) = delete;
  new_directory& operator=(const new_directory&) = delete;

  /// The temporary directory, where its files are made.
  const std::string& place() const noexcept { return part_; }
  /// Gives the directory its name.  errors: as new_file
  void finish();

 private:
  std::string path_, part_;
  bool finished_ = false;
};

}  // namespace mana::tools
