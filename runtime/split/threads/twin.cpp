#include <runtime/split/threads/twin.hpp>

#include <runtime/split/threads/park_signal.hpp>
#include <runtime/split/threads/robust_list.hpp>
#include <runtime/split/window/live_threads.hpp>

#include <mana/lower/context.hpp>
#include <mana/lower/parked.hpp>

#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace mana::split {
namespace {

constinit std::atomic<bool> ending{false};

/// libc unblocks its own signals in each thread that it makes. The program may have them blocked, and may send them
/// once it knows the thread's id, which is after started(). For example, its libc's timers use one of these signals.
void* run_twin(void* argument) {
  set_signal_mask(every_signal);
  birth& b = *static_cast<birth*>(argument);
  b.body(b);
  return nullptr;
}

void wake(std::uint64_t address, long how_many) noexcept {
  raw_call(SYS_futex, static_cast<long>(address), FUTEX_WAKE, how_many);
}

[[noreturn]] void end_process(const twin& self) noexcept {
  if (ending.exchange(true)) rest_forever();
  set_signal_mask(self.mask);
  std::exit(self.status);
}

}  // namespace

lower::thread_block* new_block() noexcept {
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    lower::thread_block& block = lower::thread_blocks()[i];
    lower::thread_state seen = lower::thread_state::unused;
    if (!block.state.compare_exchange_strong(seen, lower::thread_state::exiting)) continue;
    std::memset(static_cast<void*>(&block), 0, offsetof(lower::thread_block, index));
    std::memset(reinterpret_cast<char*>(&block) + offsetof(lower::thread_block, tid), 0,
                sizeof block - offsetof(lower::thread_block, tid));
    block.index = i;
    block.self = &block;
    return &block;
  }
  return nullptr;
}

void adopt(lower::thread_block& block, twin& self) noexcept {
  block.self = &block;
  block.lower_fs = read_thread_pointer();
  block.tid = static_cast<std::int32_t>(raw_call(SYS_gettid));
  block.lower_private = reinterpret_cast<std::uint64_t>(&self);
  raw_call(SYS_get_robust_list, 0, as_word(&self.robust_head), as_word(&self.robust_length));
  set_thread_block(&block);
  live_threads.fetch_add(1, std::memory_order_relaxed);
}

void publish(lower::thread_block& block) noexcept {
  block.state.store(lower::thread_state::running, std::memory_order_seq_cst);
  // The agent may have looked for threads before it could see this one.
  if (lower::the_bridge().current.load(std::memory_order_seq_cst) == lower::phase::parking)
    send_park_signal(block.tid);
}

/// When the epoch changes, all parked threads check again whether they run checkpoints. One of them may; the others
/// park again.
void pass_on_checkpoints(lower::thread_block& self) noexcept {
  static constinit raw_lock turn;
  const std::scoped_lock hold(turn);
  self.state.store(lower::thread_state::exiting, std::memory_order_seq_cst);      // nobody gives it further work
  lower::bridge& b = lower::the_bridge();
  if (__atomic_load_n(&b.main_thread, __ATOMIC_SEQ_CST) != self.index) return;
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const lower::thread_state state = lower::thread_blocks()[i].state.load(std::memory_order_seq_cst);
    if (state != lower::thread_state::running && state != lower::thread_state::parked) continue;
    __atomic_store_n(&b.main_thread, i, __ATOMIC_SEQ_CST);
    b.release_epoch.fetch_add(1, std::memory_order_seq_cst);
    lower::turns_of_parked(b).fetch_add(1, std::memory_order_seq_cst);
    wake(reinterpret_cast<std::uint64_t>(&lower::turns_of_parked(b)), 0x7fffffff);
    return;
  }
}

void leave_upper_half(trap& t, leave_reason why) noexcept {
  twin& self = *reinterpret_cast<twin*>(t.self->lower_private);
  self.why = why;
  self.status = static_cast<int>(t.arg(0) & 0xff);
  self.mask = t.mask();
  mana_restore_context(&self.back);
}

void after_upper_half(lower::thread_block& block, twin& self) noexcept {
  const bool last = live_threads.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (self.why == leave_reason::process_ends || last) end_process(self);
  block.state.store(lower::thread_state::exiting, std::memory_order_release);
  const program_memory the_programs(0, false);  // this thread no longer counts: others may run
  release_robust_list(the_programs, block.robust_list, block.tid);
  raw_call(SYS_set_robust_list, self.robust_head, self.robust_length);
  const std::uint64_t clear = block.clear_tid;
  set_thread_block(nullptr);
  block.state.store(lower::thread_state::unused, std::memory_order_release);
  // A wait for all threads to park must look at the threads again.
  wake(reinterpret_cast<std::uint64_t>(&lower::the_bridge().parked_count), 0x7fffffff);
  if (clear == 0) return;
  const std::int32_t ended = 0;
  the_programs.write(clear, &ended, sizeof ended);
  wake(clear, 1);   // last: a joining thread may now unmap the thread's stack and storage
}

void rest_forever() noexcept {
  set_signal_mask(every_signal);
  for (;;) raw_call(SYS_pause);
}

void birth::started() noexcept {
  tid = block->tid;
  std::atomic<std::uint32_t>* const word = &begun;
  word->store(1, std::memory_order_release);
  wake(reinterpret_cast<std::uint64_t>(word), 1);   // by address only: the creator may have continued already
}

long create_twin(birth& b) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t ignored;
  const int error = pthread_create(&ignored, &attributes, run_twin, &b);
  pthread_attr_destroy(&attributes);
  if (error != 0) return -error;
  while (b.begun.load(std::memory_order_acquire) == 0)
    raw_call(SYS_futex, as_word(&b.begun), FUTEX_WAIT, 0);
  return 0;
}

}  // namespace mana::split
