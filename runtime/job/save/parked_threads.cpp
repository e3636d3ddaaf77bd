#include <runtime/job/save/parked_threads.hpp>

#include <runtime/split/threads/park_signal.hpp>

#include <mana/gen/function_tags.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

#include <fstream>
#include <iterator>

namespace mana::job {

namespace {

std::string name_of_thread(int tid) {
  std::ifstream in("/proc/self/task/" + std::to_string(tid) + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

std::string name_of_call(const lower::thread_block& block) {
  const bool is_known = block.inside > 0 && block.function != 0 && block.function < std::size(function_names);
  return is_known ? std::string(" in ") + function_names[block.function] : std::string();
}

}  // namespace

void signal_threads() {
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const lower::thread_block& block = lower::thread_blocks()[i];
    if (block.state.load(std::memory_order_seq_cst) == lower::thread_state::running)
      split::send_park_signal(block.tid);
  }
}

bool all_parked() {
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    if (i == lower::the_bridge().main_thread) continue;
    const lower::thread_block& block = lower::thread_blocks()[i];
    const lower::thread_state state = block.state.load(std::memory_order_acquire);
    if (state == lower::thread_state::running) return false;
    const std::uint32_t epoch = lower::the_bridge().release_epoch.load(std::memory_order_seq_cst);
    if (state == lower::thread_state::parked && block.parked_epoch != epoch) return false;
  }
  return true;
}

std::string unparked(bool but_main) {
  std::string text;
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const lower::thread_block& block = lower::thread_blocks()[i];
    const bool is_main = i == lower::the_bridge().main_thread;
    if (block.state.load(std::memory_order_acquire) != lower::thread_state::running || (but_main && is_main)) continue;
    text += (text.empty() ? "thread " : ", thread ") + std::to_string(block.tid) + " (" + name_of_thread(block.tid) + ")" +
            name_of_call(block);
  }
  return text;
}

}  // namespace mana::job
