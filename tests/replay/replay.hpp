// Whether what jobs recorded follows the rules: docs/design/clock.md, "Traces".
#pragma once
#include "part.hpp"

namespace clock_replay {

struct report {
  totals checked;
  std::vector<violation> found;  // the first of each job
  std::size_t files = 0;
};

/// All jobs that wrote traces to this directory. Files of other names are none of ours.
/// errors: std::system_error
report check_directory(const std::filesystem::path& directory, const makers& make = {});

}  // namespace clock_replay
