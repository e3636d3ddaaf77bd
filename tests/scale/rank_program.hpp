// A rank's program: a coroutine that is suspended where MPI would block. A million of them are alive at once, so all
// operations are awaited directly: one frame per rank.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>

namespace clock_scale {

class rank_program {
 public:
  struct promise_type {
    rank_program get_return_object() { return rank_program(handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  using handle = std::coroutine_handle<promise_type>;

  rank_program() = default;
  rank_program(rank_program&& from) noexcept : frame_(std::exchange(from.frame_, {})) {}
  rank_program& operator=(rank_program&& from) noexcept {
    std::swap(frame_, from.frame_);
    return *this;
  }
  ~rank_program() {
    if (frame_) frame_.destroy();
  }

  void resume() { frame_.resume(); }
  bool done() const noexcept { return frame_.done(); }

 private:
  explicit rank_program(handle frame) : frame_(frame) {}
  handle frame_;
};

}  // namespace clock_scale
