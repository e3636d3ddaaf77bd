// What mana-clock-scale is asked for.
#pragma once
#include "quiesce.hpp"

namespace clock_scale {

struct options {
  setting what;
  std::vector<network_options> networks;  // all that were asked for
  std::string policy = "needs", network = "tree";
  bool json = false;
};

/// errors: throws std::invalid_argument, with what is wrong
options read_options(int count, char** words);
extern const char* const usage;

}  // namespace clock_scale
