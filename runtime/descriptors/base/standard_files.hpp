// The launcher's standard input, output and error. If another program executed this one, such as a shell with `>file`,
// this program may have other files there. Those belong to the program, as any file does.
#pragma once
#include <runtime/descriptors/base/proc_info.hpp>

#include <array>
#include <optional>
#include <string>

namespace mana::descriptors {

class standard_files {
 public:
  /// This process's: the launcher started it.
  static standard_files here();
  /// Reads the result of words() of the process that the launcher started. Unreadable parts count as missing.
  static standard_files parse(const std::string& words);
  std::string words() const;

  /// 0, 1, 2: the descriptor is this one of the launcher's, or as good as it; -1: it belongs to the program.
  int of(int fd) const noexcept;
  /// It is the launcher's input, not a substitute.
  bool is_input(int fd) const noexcept;

 private:
  std::array<std::optional<file_key>, 3> keys_;
};

/// Bytes pass through it once: no restart can read them again, or continue to write after them.
bool is_stream(int fd) noexcept;

}  // namespace mana::descriptors
