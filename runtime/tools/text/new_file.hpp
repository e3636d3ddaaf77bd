// A file of the user's that a command makes: never one that is there already, and for its owner alone.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace mana::tools {

/// Has another name beside its own until it is whole: nobody takes a part of it for all, and a second try finds nothing in its way.
class new_file {
 public:
  /// errors: failure (usage) if there is something of this name, (directory_unwritable)
  explicit new_file(std::string path);
  /// Removes it unless finish() was called.
  ~new_file();
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  /// Bytes that were never written read as zeros.     errors: failure (directory_unwritable), interrupted
  void write(std::uint64_t at, std::span<const char> bytes);
  /// errors: failure (directory_unwritable), (usage) if there is something of its name by now
  void finish(std::uint64_t size);

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_, part_;
  int fd_ = -1;
  bool finished_ = false;
};

/// The same, of a directory with the files that are made in it.
class new_directory {
 public:
  /// errors: as of new_file
  explicit new_directory(std::string path);
  ~new_directory();
  new_directory(const new_directory&) = delete;
  new_directory& operator=(const new_directory&) = delete;

  /// Where its files are made.
  const std::string& place() const noexcept { return part_; }
  /// Gives it its name.     errors: as of new_file
  void finish();

 private:
  std::string path_, part_;
  bool finished_ = false;
};

}  // namespace mana::tools
