// A thread that does steps for another one while it waits for that one's end.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace mana::job {

class lent_thread {
 public:
  /// Returns when `work`, on a thread of its own, has ended.
  /// in:     work  throws nothing
  /// errors: std::system_error: no thread can be created, and nothing of it was done
  void lend(const std::function<void()>& work);
  /// Within `work`: the step runs on the thread that waits. What it throws comes out here. Where none waits, the step
  /// runs here.
  void run(const std::function<void()>& step);

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  const std::function<void()>* step_ = nullptr;     // that is to be done
  std::exception_ptr thrown_;
  bool ended_ = true;                               // nobody waits
};

}  // namespace mana::job
