// Why an image could not be written, read or restored.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace mana::files {

enum class error_kind {
  missing,    // no such file
  damaged,    // truncated, or its bytes are not those that were written
  version,    // of another format version
  occupied,   // its addresses are taken in this process
  file,       // one that the program had mapped is not there, or shorter
  cpu,        // this processor lacks features of the one that wrote it
  io,         // the system refused; the text has its words
  not_own,    // a link, no regular file, of another user, or where others can replace it
};

class image_error : public std::runtime_error {
 public:
  /// in: file  that is damaged, where it is known
  image_error(error_kind kind, const std::string& text, std::string file = {})
      : std::runtime_error(text), kind_(kind), file_(std::move(file)) {}
  error_kind kind() const noexcept { return kind_; }
  const std::string& file() const noexcept { return file_; }

 private:
  error_kind kind_;
  std::string file_;
};

}  // namespace mana::files
