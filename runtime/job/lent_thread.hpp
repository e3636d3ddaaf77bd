// A thread that waits for another thread, and meanwhile runs steps for it.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace mana::job {

class lent_thread {
 public:
  /// Runs `work` on a new thread, and returns when `work` has ended.
  /// in:     work  throws nothing
  /// errors: std::system_error: no thread can be created; then `work` has not run
  void lend(const std::function<void()>& work);
  /// Called within `work`: the waiting thread runs the step, and run() throws what the step throws. If no thread waits,
  /// the step runs on the calling thread.
  void run(const std::function<void()>& step);

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  const std::function<void()>* step_ = nullptr;     // to be run
  std::exception_ptr thrown_;
  bool ended_ = true;                               // no thread waits
};

}  // namespace mana::job
