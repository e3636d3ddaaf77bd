#include <runtime/job/lent_thread.hpp>

#include <exception>
#include <thread>
#include <utility>

namespace mana::job {

void lent_thread::lend(const std::function<void()>& work) {
  ended_ = false;
  std::thread other;
  try {
    other = std::thread([&] {
      work();
      const std::lock_guard hold(lock_);
      ended_ = true;
      changed_.notify_all();
    });
  } catch (...) {
    ended_ = true;
    throw;
  }
  std::unique_lock hold(lock_);
  for (;;) {
    changed_.wait(hold, [this] { return ended_ || step_ != nullptr; });
    if (ended_) break;
    hold.unlock();
    std::exception_ptr thrown;
    try {
      (*step_)();
    } catch (...) {
      thrown = std::current_exception();
    }
    hold.lock();
    thrown_ = thrown;
    step_ = nullptr;
    changed_.notify_all();
  }
  hold.unlock();
  other.join();
}

void lent_thread::run(const std::function<void()>& step) {
  std::unique_lock hold(lock_);
  if (ended_) {
    hold.unlock();
    return step();
  }
  step_ = &step;
  changed_.notify_all();
  changed_.wait(hold, [this] { return step_ == nullptr; });
  if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
}

}  // namespace mana::job
