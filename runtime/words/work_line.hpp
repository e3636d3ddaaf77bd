// How far work on many bytes is, in a line for people.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mana::words {

/// One file's part, as it is at a moment.
struct work_part {
  std::string name;                      // "rank 3", "rank 3 of checkpoint 12"
  std::uint64_t bytes = 0, done = 0;
};

/// "41 % of 12.3 GiB, 1.20 GiB/s, 6.1 s left; slowest: rank 3, 12 %": of the parts that have begun and not ended.
std::string work_line(const std::vector<work_part>& parts, double seconds);

}  // namespace mana::words
