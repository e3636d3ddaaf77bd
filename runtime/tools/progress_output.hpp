// Where a command says how far it is: on a terminal in one line, which is gone in the end.
#pragma once
#include "progress.hpp"

#include <string>

namespace mana::tools {

class progress_output {
 public:
  /// in: command  its name      wanted  also where standard error is no terminal
  progress_output(std::string command, bool wanted);
  ~progress_output();
  progress_output(const progress_output&) = delete;
  progress_output& operator=(const progress_output&) = delete;

  /// Empty where nobody wants it. Lives as long as this.
  progress_meter::sink sink();

 private:
  const std::string command_;
  const bool terminal_, wanted_;
  bool said_ = false;
};

}  // namespace mana::tools
