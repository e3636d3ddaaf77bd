// A thread of the runtime that runs tasks, one after another, while the program runs.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace mana::job {

/// Never destroyed: its thread runs as long as the process.
class task_thread {
 public:
  /// in: nice  how much lower its priority is than the program's, 0 … 19, as nice(2)
  explicit task_thread(int nice) noexcept : nice_(nice) {}
  task_thread(const task_thread&) = delete;
  task_thread& operator=(const task_thread&) = delete;
  ~task_thread() = delete;

  /// Never waits.     in: task  throws nothing
  void post(std::function<void()> task);
  /// Returns when all posted tasks are done.
  void drain();

 private:
  void run();

  const int nice_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool begun_ = false, busy_ = false;
};

}  // namespace mana::job
