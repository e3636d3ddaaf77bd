// Reasons why a group could not be protected or rebuilt.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace mana::redundancy {

enum class error_kind : std::uint32_t {
  usage = 1,   // an impossible scheme, too few ranks, members with different arguments
  io,          // the system refused; the text has the file's path and the system's message
  damaged,     // no intact header, or a rebuilt block has another checksum
  mixed,       // parity files of several checkpoints
  lost,        // the losses exceed the code
};

class redundancy_error : public std::runtime_error {
 public:
  redundancy_error(error_kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

}  // namespace mana::redundancy
