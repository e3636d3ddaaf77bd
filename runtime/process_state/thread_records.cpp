#include <runtime/process_state/thread_records.hpp>

#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/raw.hpp>

#include <mana/lower/parked.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

namespace mana::process_state {

namespace {

/// The thread of a block writes its entry, before it is parked.
std::array<std::unique_ptr<thread_record>, lower::max_threads> said;

std::map<std::uint32_t, thread_record> to_restore;

std::mutex refused_lock;
std::vector<std::string> refused;

void on_park(lower::thread_block* self) {
  split::note_thread_time(*self);
  said[self->index] = std::make_unique<thread_record>(look_at_thread());
}

void on_look(lower::thread_block* self) { said[self->index]->pending = look_at_own_signals(); }

/// out: false: no signal is pending for the thread, or it cannot look
bool ask_to_look(lower::thread_block& block) {
  std::atomic<lower::look_order>& order = lower::look_order_of(block);
  if (order.load() == lower::look_order::unknown || pending_of(block.tid).thread == 0) return false;
  order.store(lower::look_order::look);
  return true;
}

void await_look(lower::thread_block& block) noexcept {
  std::atomic<lower::look_order>& order = lower::look_order_of(block);
  while (order.load(std::memory_order_acquire) == lower::look_order::look)
    split::raw_call(SYS_futex, split::as_word(&order), FUTEX_WAIT, static_cast<long>(lower::look_order::look));
}

void on_continue(lower::thread_block* self) {
  const auto record = to_restore.find(self->index);
  if (record == to_restore.end()) return;
  const std::vector<std::string> failed = apply(record->second);
  queue_to_self(record->second.pending);
  if (failed.empty()) return;
  const std::lock_guard hold(refused_lock);
  refused.insert(refused.end(), failed.begin(), failed.end());
}

}  // namespace

thread_record look_at_thread() {
  thread_record record;
  record.tid = gettid();
  prctl(PR_GET_NAME, record.name.data(), 0, 0, 0);
  record.attributes = read_all(thread_attributes());
  return record;
}

std::map<std::uint32_t, const thread_record*> parked_threads() {
  std::map<std::uint32_t, const thread_record*> all;
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const lower::thread_block& block = lower::thread_blocks()[i];
    if (i == lower::the_bridge().main_thread || block.state.load() != lower::thread_state::parked) continue;
    if (said[i] != nullptr && said[i]->tid == block.tid) all.emplace(i, said[i].get());
  }
  return all;
}

void look_at_signals_of_parked() {
  std::vector<lower::thread_block*> asked;
  for (const auto& [index, record] : parked_threads())
    if (lower::thread_block& block = lower::thread_blocks()[index]; ask_to_look(block)) asked.push_back(&block);
  if (asked.empty()) return;
  std::atomic<std::uint32_t>& turns = lower::turns_of_parked(lower::the_bridge());
  turns.fetch_add(1);
  split::raw_call(SYS_futex, split::as_word(&turns), FUTEX_WAKE, std::numeric_limits<int>::max());
  for (lower::thread_block* const block : asked) await_look(*block);
}

void set_records_to_restore(std::map<std::uint32_t, thread_record> records) { to_restore = std::move(records); }
const std::map<std::uint32_t, thread_record>& records_to_restore() noexcept { return to_restore; }

std::vector<std::string> apply(const thread_record& record) {
  prctl(PR_SET_NAME, record.name.data(), 0, 0, 0);
  return write_all(thread_attributes(), record.attributes);
}

std::vector<std::string> refused_by_threads() {
  const std::lock_guard hold(refused_lock);
  return std::move(refused);
}

void install_thread_hooks() noexcept {
  lower::bridge& b = lower::the_bridge();
  b.thread_parks = on_park;
  b.thread_continues = on_continue;
  b.thread_looks = on_look;
}

}  // namespace mana::process_state
