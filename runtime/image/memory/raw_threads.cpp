#include <runtime/image/memory/raw_threads.hpp>

#include <runtime/split/window/raw.hpp>

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include <new>

namespace mana::image {

using split::as_word;
using split::raw_call;

void await_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  raw_call(SYS_futex, as_word(&word), FUTEX_WAIT_PRIVATE, seen);
}

void wake(std::atomic<std::uint32_t>& word, int most) noexcept {
  raw_call(SYS_futex, as_word(&word), FUTEX_WAKE_PRIVATE, most);
}

raw_threads::raw_threads(unsigned most) : most_(most) {
  if (most_ == 0) return;
  const std::size_t stacks = most_ * (guard_bytes + stack_bytes);
  bytes_ = stacks + most_ * sizeof(birth);
  void* const at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(at);
  births_ = new (memory_ + stacks) birth[most_]{};
  for (unsigned i = 0; i < most_; ++i)
    if (mprotect(memory_ + i * (guard_bytes + stack_bytes), guard_bytes, PROT_NONE) != 0) {
      munmap(memory_, bytes_);
      throw std::bad_alloc();
    }
}

raw_threads::~raw_threads() {
  join();
  if (bytes_ != 0) munmap(memory_, bytes_);
}

int raw_threads::live(void* born) noexcept {
  const birth& b = *static_cast<const birth*>(born);
  b.what(b.with, b.number);
  return 0;
}

unsigned raw_threads::start(body what, void* with) noexcept {
  constexpr int as_threads = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                             CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  // libc's function leaves two of its signals unblocked.
  split::signal_set before = 0;
  const split::signal_set all = split::every_signal;
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, as_word(&all), as_word(&before), split::signal_set_bytes);
  for (; running_ < most_; ++running_) {
    birth& b = births_[running_];
    b.what = what;
    b.with = with;
    b.number = running_;
    char* const top = memory_ + (running_ + 1) * (guard_bytes + stack_bytes);
    if (clone(live, top, as_threads, &b, &b.id, nullptr, &b.id) < 0) break;
  }
  split::set_signal_mask(before);
  return running_;
}

void raw_threads::join() noexcept {
  for (; running_ > 0; --running_) {
    std::atomic<std::uint32_t>& id = births_[running_ - 1].id;
    // The kernel wakes waiters as if the word were shared.
    for (std::uint32_t seen = id.load(std::memory_order_acquire); seen != 0; seen = id.load(std::memory_order_acquire))
      raw_call(SYS_futex, as_word(&id), FUTEX_WAIT, seen);
  }
}

}  // namespace mana::image
