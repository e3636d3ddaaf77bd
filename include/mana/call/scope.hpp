// Entry and exit of every wrapper: the entry marks the thread as not parkable; the exit parks the thread if a
// checkpoint asks for it.
#pragma once
#include <mana/lower/cross.hpp>

#include <mana/gen/function_tags.hpp>

#include <utility>

namespace mana::call {

/// A checkpoint is pending.
inline bool attention() noexcept {
  return (lower::the_bridge().attention.load(std::memory_order_relaxed) & lower::checkpoint_pending) != 0;
}

/// Parks the calling thread if the recovery line is declared; runs the checkpoint on the thread that called MPI_Init.
/// Not inline, to keep its code off every fast path.
void park_if_asked() noexcept;

/// INV-6 while a thread is inside a wrapper (inside > 0) the park signal leaves it alone. So a wrapper's steps (look
/// into the inbox, then post) are one step to a checkpoint.
class wrapper_scope {
 public:
  [[gnu::always_inline]] explicit wrapper_scope(function_id function) noexcept : thread_(lower::this_thread()) {
    if (thread_->inside++ == 0) thread_->function = static_cast<std::uint32_t>(function);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  [[gnu::always_inline]] ~wrapper_scope() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (--thread_->inside != 0) return;
    // The order matters. If a park signal comes between the decrement and this load, its handler parks the thread. If
    // it came earlier, attention was already set.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (attention()) [[unlikely]] park_if_asked();
  }
  wrapper_scope(const wrapper_scope&) = delete;
  wrapper_scope& operator=(const wrapper_scope&) = delete;

  /// A park point in the middle of a wrapper. The wrapper must hold nothing here that a checkpoint would change.
  void park_here() noexcept {
    const std::int32_t depth = thread_->inside;
    thread_->inside = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    park_if_asked();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_->inside = depth;
  }
  /// True if an upcall called this wrapper. Then it must not park.
  bool nested() const noexcept { return thread_->inside > 1; }

 private:
  lower::thread_block* thread_;
};

/// Runs code of the program, in which a checkpoint may park the thread as in any other code of the program. A callback
/// may wait for a thread that is parked. The caller holds no real handle across it.
template <class F>
inline auto run_application_code(F&& f) noexcept {
  lower::thread_block& self = *lower::this_thread();
  const std::int32_t depth = std::exchange(self.inside, 0);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (attention()) [[unlikely]] park_if_asked();
  const auto result = f();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.inside = depth;
  return result;
}

}  // namespace mana::call
