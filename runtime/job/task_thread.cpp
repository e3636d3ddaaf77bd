#include <runtime/job/task_thread.hpp>

#include <runtime/files/step_back.hpp>

#include <thread>
#include <utility>

namespace mana::job {

/// The thread begins with the first task, and is never joined: it may run until the process ends.
void task_thread::post(std::function<void()> task) {
  const std::lock_guard hold(lock_);
  tasks_.push_back(std::move(task));
  if (!std::exchange(begun_, true)) std::thread([this] { run(); }).detach();
  changed_.notify_all();
}

void task_thread::drain() {
  std::unique_lock hold(lock_);
  changed_.wait(hold, [this] { return tasks_.empty() && !busy_; });
}

void task_thread::run() {
  files::step_back(nice_);
  std::unique_lock hold(lock_);
  for (;;) {
    changed_.wait(hold, [this] { return !tasks_.empty(); });
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    hold.unlock();
    task();
    hold.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace mana::job
