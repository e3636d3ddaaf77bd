// A line about the progress of work on many bytes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mana::words {

/// The state of one file's part.
struct work_part {
  std::string name;                      // "rank 3", "rank 3 of checkpoint 12"
  std::uint64_t bytes = 0, done = 0;
};

/// "41 % of 12.3 GiB, 1.20 GiB/s, 6.1 s left; slowest: rank 3, 12 %": of the parts that are under way.
std::string work_line(const std::vector<work_part>& parts, double seconds);

}  // namespace mana::words
