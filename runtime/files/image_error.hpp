// Reasons why an image could not be written, read or restored.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace mana::files {

enum class error_kind {
  missing,    // no such file
  damaged,    // truncated, or a checksum differs
  version,    // of another format version
  occupied,   // its addresses are taken in this process
  file,       // a file that the program had mapped is missing, or shorter
  cpu,        // this processor lacks features of the processor that wrote it
  io,         // the system refused; the text has the system's message
  not_own,    // a link, not a regular file, of another user, or in a place where others can replace it
};

class image_error : public std::runtime_error {
 public:
  /// in: file  the damaged file, if known
  image_error(error_kind kind, const std::string& text, std::string file = {})
      : std::runtime_error(text), kind_(kind), file_(std::move(file)) {}
  error_kind kind() const noexcept { return kind_; }
  const std::string& file() const noexcept { return file_; }

 private:
  error_kind kind_;
  std::string file_;
};

}  // namespace mana::files
