// Progress of a command that reads many bytes, reported while it runs.
#pragma once
#include <runtime/words/work_line.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mana::tools {

using words::work_line;
using words::work_part;

class progress_meter {
 public:
  using sink = std::function<void(const std::string& line)>;
  /// in: parts  done is 0
  ///     say    called on a thread of the meter, after `quiet` and then every `period`; empty: never
  progress_meter(std::vector<work_part> parts, sink say, std::chrono::milliseconds quiet,
                 std::chrono::milliseconds period);
  ~progress_meter();
  progress_meter(const progress_meter&) = delete;
  progress_meter& operator=(const progress_meter&) = delete;

  /// Called from any thread.
  void add(std::size_t part, std::uint64_t bytes) noexcept { done_[part].fetch_add(bytes, std::memory_order_relaxed); }

 private:
  void run(std::chrono::milliseconds quiet, std::chrono::milliseconds period);

  std::vector<work_part> parts_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> done_;
  sink say_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex lock_;
  std::condition_variable ends_;
  bool ended_ = false;
  std::thread thread_;
};

/// out: cores that this process may use and that are idle, at least 1
unsigned idle_cores();

/// Calls work(0) … work(count - 1), each once, on up to `threads` threads.
/// errors: the first exception of the work, after all threads have ended
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace mana::tools
