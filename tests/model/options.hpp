// What mana-clock-check is asked for.
#pragma once
#include "explore.hpp"
#include "family.hpp"

namespace clock_model {

struct options {
  std::string policy = "needs", program, svg, mutant;  // mutant: empty: all
  bounds family;
  bool has_family = false, mutants = false, list = false;
  std::uint64_t random = 0;                    // programs
  unsigned seed = 1;
  double seconds = 3600;
  std::optional<std::uint64_t> progress;       // seconds between two lines
  rules how;
  limits most;
};

/// errors: throws std::invalid_argument, with what is wrong
options read_options(int count, char** words);
extern const char* const usage;

/// The mutants' table. out: all that was judged was killed
bool check_mutants(const options& o);

}  // namespace clock_model
