// The only switch of the thread pointer between the halves.
//
// Code on both sides of a switch, in one function, sees two thread-local storages. Hence:
//   - compile it with -fno-stack-protector (a canary read before and checked after a switch would differ);
//   - the callable touches no thread-local variable, errno included, except through functions of the half it enters;
//   - everything is translated before, and translated back after (see interpose.hpp).
// Both crossings are always inlined: entry and exit are four instructions beside the two that write the thread pointer.
#pragma once
#include <mana/arch/arch.hpp>
#include <mana/lower/abi.hpp>

#include <type_traits>

namespace mana::lower {

#if defined(MANA_ONE_PROCESS)

// Wrappers without the split. The lower half is the PMPI_ interface of the same process, under the same thread
// pointer, so a crossing is a plain call.

/// The calling thread's block; the thread's first call makes it.
inline thread_block* this_thread() noexcept {
  struct own_block {
    thread_block block{};
    own_block() noexcept {
      static std::atomic<std::uint32_t> next{0};
      block.index = next.fetch_add(1, std::memory_order_relaxed);
    }
  };
  thread_local own_block own;
  return &own.block;
}
template <class F>
[[gnu::always_inline]] inline auto cross(F&& f) noexcept { return f(); }
template <class F>
[[gnu::always_inline]] inline auto cross_up(F&& f) noexcept { return f(); }

#else

/// The calling thread's block. Valid on every thread that runs upper-half code.
[[gnu::always_inline]] inline thread_block* this_thread() noexcept { return static_cast<thread_block*>(arch::thread_block()); }

using arch::thread_pointer;
[[gnu::always_inline]] inline void set_thread_pointer(std::uint64_t value) noexcept {
  arch::write_thread_pointer(value, the_bridge().has_fsgsbase != 0);
}

namespace detail {

/// Runs f, then `back`, also for a callable without a result. f must not throw: exceptions never cross the halves.
template <class F, class Back>
[[gnu::always_inline]] inline auto run_then(F& f, Back&& back) noexcept {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    f();
    back();
  } else {
    auto result = f();
    back();
    return result;
  }
}

}  // namespace detail

/// Runs f with the lower half's thread pointer. Called from the upper half.
/// cost: 16 to 18 ns there and back
template <class F>
[[gnu::always_inline]] inline auto cross(F&& f) noexcept {
  thread_block* const self = this_thread();
  const std::uint64_t upper = thread_pointer();
  self->upper_fs = upper;                        // first: a signal handler reads it once the pointer has moved
  self->in_lower = 1;
  set_thread_pointer(self->lower_fs);
  return detail::run_then(f, [=]() __attribute__((always_inline)) {
    set_thread_pointer(upper);
    self->in_lower = 0;
  });
}

/// Runs f with the upper half's thread pointer: an upcall. Called from the lower half, on a thread that came by cross().
template <class F>
[[gnu::always_inline]] inline auto cross_up(F&& f) noexcept {
  thread_block* const self = this_thread();
  const std::uint64_t upper = self->upper_fs;
  const std::uint64_t lower = thread_pointer();
  self->in_lower = 0;
  set_thread_pointer(upper);
  return detail::run_then(f, [=]() __attribute__((always_inline)) {
    self->upper_fs = upper;
    self->in_lower = 1;
    set_thread_pointer(lower);
  });
}

#endif

/// While an inside_guard exists, the park signal leaves the thread alone. When its owner leaves, it parks if a
/// checkpoint asks for it.
class inside_guard {
 public:
  inside_guard() noexcept : self_(this_thread()) {
    ++self_->inside;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~inside_guard() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --self_->inside;
  }
  inside_guard(const inside_guard&) = delete;
  inside_guard& operator=(const inside_guard&) = delete;

 private:
  thread_block* self_;
};

}  // namespace mana::lower
