// What the launcher gave as standard input, output and error. A program that another one became, a shell's child with
// `>file` say, may have something else there: that is the program's own, as any other file.
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
  /// As words() wrote it, in the process that the launcher started. What it cannot read is as if that had none.
  static standard_files parse(const std::string& words);
  std::string words() const;

  /// 0, 1, 2: the descriptor is this one of the launcher's, or as good as it; -1: it is the program's own.
  int of(int fd) const noexcept;
  /// It is the launcher's input itself.
  bool is_input(int fd) const noexcept;

 private:
  std::array<std::optional<file_key>, 3> keys_;
};

/// Bytes come through it once: no restart can read them again, or go on writing behind them.
bool is_stream(int fd) noexcept;

}  // namespace mana::descriptors
