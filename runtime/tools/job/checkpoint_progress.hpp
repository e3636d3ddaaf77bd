// How far a checkpoint is, in words, by what its job says of it from time to time.
#pragma once
#include <cstdint>
#include <string>

namespace mana::tools {

class checkpoint_progress {
 public:
  /// in:  json  see control::coordinator::progress_json
  ///      now_s  of any clock that only goes on
  /// out: "quiescing for 3.1 s, waiting for rank 2 …"; "writing, 41 % of 12.3 GiB, 1.20 GiB/s, 6.1 s left; slowest: rank 3, 12 %":
  ///      the rate is that since the images, or their copies, were begun, as far as it was looked at
  std::string line(const std::string& json, double now_s);

 private:
  std::uint64_t bytes_ = 0, done_ = 0;      // at the last look
  std::uint64_t first_done_ = 0;            // at the first
  double first_s_ = 0;
  bool begun_ = false;
};

}  // namespace mana::tools
