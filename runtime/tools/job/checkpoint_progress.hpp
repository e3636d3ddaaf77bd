// Describes the progress of a checkpoint in words, from the reports of its job.
#pragma once
#include <cstdint>
#include <string>

namespace mana::tools {

class checkpoint_progress {
 public:
  /// in:  json   see control::coordinator::progress_json
  ///      now_s  of a monotonic clock, in seconds
  /// out: "quiescing for 3.1 s, waiting for rank 2 …"; "writing, 41 % of 12.3 GiB, 1.20 GiB/s, 6.1 s left; slowest:
  ///      rank 3, 12 %".
  ///      The rate is the mean since the job began to write or to copy images, or since the first report
  std::string line(const std::string& json, double now_s);

 private:
  std::uint64_t bytes_ = 0, done_ = 0;      // in the last report
  std::uint64_t first_done_ = 0;            // in the first report
  double first_s_ = 0;
  bool begun_ = false;
};

}  // namespace mana::tools
