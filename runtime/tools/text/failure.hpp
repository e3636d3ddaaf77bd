// How the command ends when it cannot do what was asked: what was wrong, what to do, and the exit status.
#pragma once
#include <runtime/words/exit_status.hpp>

#include <stdexcept>
#include <string>

namespace mana::tools {

class failure : public std::runtime_error {
 public:
  /// in: what    what was wrong and where, one line
  ///     remedy  what the user can do, one line; empty: what the table says of all failures with this status, if anything
  failure(exit_status code, const std::string& what, std::string remedy = {})
      : std::runtime_error(what), code_(code), remedy_(remedy.empty() ? remedy_of_all(code) : std::move(remedy)) {}
  exit_status code() const noexcept { return code_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  exit_status code_;
  std::string remedy_;
};

}  // namespace mana::tools
