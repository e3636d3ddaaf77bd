// Continues a restored upper half in a fresh process.
#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/former_ids.hpp>
#include <runtime/split/window/lock_owners.hpp>
#include <runtime/split/window/own_filters.hpp>
#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/shown_process.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/split/window/window.hpp>

#include <runtime/split/filter/table.hpp>
#include <runtime/split/threads/robust_list.hpp>
#include <runtime/split/threads/twin.hpp>
#include <runtime/split/traps/memory/async_contexts.hpp>
#include <runtime/split/traps/signals/signals.hpp>

#include <mana/lower/context.hpp>
#include <mana/lower/signals.hpp>

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>

namespace mana::split {
namespace {

/// Blocks the signals that the program handles, or that its main thread blocks, until their threads exist:
/// resume_main(). A signal that nobody handles still ends this process.
void hold_programs_signals() noexcept {
  signal_set handled = lower::cancel_signal | lower::thread_blocks()[lower::the_bridge().main_thread].signal_mask;
  for (int signal = 1; signal <= 64; ++signal)
    if (lower::the_bridge().signal_handlers[signal] > 1) handled |= one_signal(signal);
  handled = without_ours(handled);
  raw_call(SYS_rt_sigprocmask, SIG_BLOCK, as_word(&handled), 0, signal_set_bytes);
}

/// Restores the kernel's state of the thread, and libc's copy of the kernel's data.
void restore_kernel_state(lower::thread_block& block) noexcept {
  continue_thread_time(block);
  if (block.tid_address != 0) *reinterpret_cast<std::int32_t*>(block.tid_address) = block.tid;
  if (block.robust_list != 0)
    raw_call(SYS_set_robust_list, static_cast<long>(block.robust_list), static_cast<long>(block.robust_length));
  const lower::signal_stack& its = block.alternate_stack;
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(its.address);
  stack.ss_size = its.bytes;
  stack.ss_flags = its.bytes != 0 ? static_cast<int>(its.flags) : SS_DISABLE;      // replaces this lower half's
  raw_call(SYS_sigaltstack, as_word(&stack), 0);
}

/// Keeps all signals blocked until the upper half's thread pointer is back.
[[noreturn]] void continue_upper_half(lower::thread_block& block) noexcept {
  block.in_lower = 0;
  write_thread_pointer(block.upper_fs);
  set_signal_mask(without_ours(block.signal_mask));
  mana_restore_context(&block.saved);
}

/// Notifies before anybody relies on the thread: when restart_threads() returns, each thread is as it was.
void tell_that_it_continues(lower::thread_block& block) {
  if (const lower::thread_listener told = lower::the_bridge().thread_continues; told != nullptr) told(&block);
}

void live_again(birth& b) {
  lower::thread_block& block = *b.block;
  twin self;
  adopt(block, self);
  restore_kernel_state(block);
  tell_that_it_continues(block);
  if (mana_save_context(&self.back) == 0) {
    b.started();
    continue_upper_half(block);
  }
  after_upper_half(block, self);
}

}  // namespace

void reinstall() {
  const saved_state& state = saved();
  if (lower::the_bridge().magic != lower::bridge_magic || lower::the_bridge().major != lower::layout_major)
    throw load_error(63, "the image's bridge has another version; restart with the mana that wrote it");
  own_process();
  show_stub_as_vdso();
  show_program_again();
  refresh_bridge();
  if (!rebuild_window()) throw load_error(63, "cannot read /proc/self/maps");
  keep_rooms_of_rings();
  const char* const name = std::strrchr(state.program, '/');
  ::prctl(PR_SET_NAME, name == nullptr ? state.program : name + 1, 0, 0, 0);
  install_trap_handlers();
  hold_programs_signals();
  reinstall_dispositions();
  saved().tells_first_ids = tells_first_ids() ? 1 : 0;
  install_filter(calls_of::restarted);
  prepare_input_filter();
  note_own_filters();
}

std::vector<std::int32_t> thread_ids() {
  std::vector<std::int32_t> ids;
  for (std::uint32_t i = 0; i < lower::max_threads; ++i)
    if (lower::thread_blocks()[i].state.load() == lower::thread_state::parked || i == lower::the_bridge().main_thread)
      ids.push_back(lower::thread_blocks()[i].tid);
  return ids;
}

void fit_threads(const register_layout& then) {
  const register_layout now = layout_here();
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const lower::thread_block& block = lower::thread_blocks()[i];
    if (i != lower::the_bridge().main_thread && block.state.load() != lower::thread_state::parked) continue;
    const auto* const context = static_cast<const ucontext_t*>(block.interrupted);
    if (context == nullptr) continue;
    const fitting result = fit_registers(context->uc_mcontext.fpregs, then, now);
    if (result == fitting::lost)
      throw load_error(63, "a thread of the program was using registers that this processor does not have; restart on "
                           "a processor of the same kind as at the checkpoint");
    if (result == fitting::no_room)
      throw load_error(63, "a thread's registers take more room on this processor than at the checkpoint; restart on "
                           "a processor of that kind");
  }
}

void restart_threads(std::span<const held_lock> locks) {
  signal_set before = 0;
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, as_word(&every_signal), as_word(&before), signal_set_bytes);
  std::vector<thread_renumbering> ids;
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    lower::thread_block& block = lower::thread_blocks()[i];
    const bool is_main = i == lower::the_bridge().main_thread;
    if (!is_main && block.state.load() != lower::thread_state::parked) continue;
    const std::int32_t id = block.tid;
    birth b{live_again, &block};
    const long error = is_main ? 0 : create_twin(b);
    if (error != 0) {
      set_signal_mask(before);
      throw load_error(63, std::string("cannot create a thread of the program again: ") +
                               std::strerror(static_cast<int>(-error)));
    }
    ids.push_back({id, is_main ? static_cast<std::int32_t>(raw_call(SYS_gettid)) : b.tid});
    renumber_robust_list(program_memory(0, false), block.robust_list, id, ids.back().now);
    auto* const interrupted = static_cast<ucontext_t*>(block.interrupted);
    renumber_waiter(interrupted, ids.back());
    renumber_locker(interrupted, ids.back(), static_cast<std::int64_t>(block.tid_address - block.upper_fs));
  }
  const std::int32_t process = saved().former.process;
  saved().former.process = static_cast<std::int32_t>(raw_call(SYS_getpid));
  const bool is_leaders = std::any_of(ids.begin(), ids.end(), [=](const auto& t) { return t.before == process; });
  if (process != 0 && !is_leaders) ids.push_back({process, saved().former.process});      // its leader has ended
  renumber(saved().former, ids);
  renumber(locks, ids);        // no thread continues before the main thread releases all
  set_signal_mask(before);
}

void resume_main() {
  set_signal_mask(every_signal);
  static twin self;
  lower::thread_block& block = lower::thread_blocks()[lower::the_bridge().main_thread];
  adopt(block, self);
  restore_kernel_state(block);
  if (mana_save_context(&self.back) == 0) continue_upper_half(block);
  after_upper_half(block, self);
  rest_forever();
}

}  // namespace mana::split
