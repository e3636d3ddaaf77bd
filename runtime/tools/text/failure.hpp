// A failure of the command: what went wrong, what to do, and the exit status.
#pragma once
#include <runtime/words/exit_status.hpp>

#include <stdexcept>
#include <string>

namespace mana::tools {

class failure : public std::runtime_error {
 public:
  /// in: what    what went wrong and where, one line
  ///     remedy  what the user can do, one line; empty: the table's remedy for this status, if it has one
  failure(exit_status code, const std::string& what, std::string remedy = {})
      : std::runtime_error(what), code_(code), remedy_(remedy.empty() ? remedy_of_all(code) : std::move(remedy)) {}
  exit_status code() const noexcept { return code_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  exit_status code_;
  std::string remedy_;
};

}  // namespace mana::tools
