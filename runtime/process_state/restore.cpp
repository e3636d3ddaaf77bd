#include <runtime/process_state/given.hpp>
#include <runtime/process_state/pending_signals.hpp>
#include <runtime/process_state/process_attributes.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/process_state/section.hpp>
#include <runtime/process_state/signal_hold.hpp>
#include <runtime/process_state/thread_attributes.hpp>

#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/raw.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <unistd.h>

#include <algorithm>

namespace mana::process_state {

namespace {

section to_continue;
std::vector<std::string> of_mappings;      // properties that could not be restored

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::set<std::string> names_of(const attribute_values& values) {
  std::set<std::string> names;
  for (const auto& [name, value] : values) names.insert(name);
  return names;
}

/// Bit n-1 for a signal n that has its standard action in the program.
std::uint64_t standard_signals() noexcept {
  std::uint64_t set = 0;
  for (int signal = 1; signal <= 64; ++signal)
    if (split::saved().dispositions[signal] == split::disposition::standard) set |= split::one_signal(signal);
  return set;
}

/// Signals that all threads of the program block: any other thread takes a signal to the process.
std::uint64_t held_by_all() noexcept {
  std::uint64_t held = lower::thread_blocks()[lower::the_bridge().main_thread].signal_mask;
  for (const auto& [index, record] : records_to_restore()) held &= lower::thread_blocks()[index].signal_mask;
  return held;
}

ucontext_t* interrupted_by_park(const lower::thread_block& thread) noexcept {
  return static_cast<ucontext_t*>(thread.interrupted);
}

/// The sender that the program finds in a signal to itself (INV-90).
int told_own_process() noexcept {
  return split::told_process_now(split::saved().former.process);
}

/// Old thread ids to new. Blocks of threads that have continued have the new ids.
std::map<int, int> new_ids() {
  std::map<int, int> ids{{to_continue.pid, getpid()}};
  for (const auto& [index, record] : records_to_restore()) ids[record.tid] = lower::thread_blocks()[index].tid;
  return ids;
}

/// The program's clocks have run meanwhile.
std::vector<posix_timer> with_time_left(std::vector<posix_timer> timers) noexcept {
  for (posix_timer& timer : timers)
    if (timer.overrun < 0) timer.time.it_value = split::left_since_line(timer.time.it_value, timer.clock);
  return timers;
}

timeval left_of_alarm(const timeval& then) noexcept {
  const timespec left = split::left_since_line({then.tv_sec, then.tv_usec * 1000}, CLOCK_MONOTONIC);
  const bool ends = left.tv_sec == 0 && left.tv_nsec > 0 && left.tv_nsec < 1000;      // 0 would stop it
  return {left.tv_sec, ends ? 1 : left.tv_nsec / 1000};
}

}  // namespace

void restore(std::span<const std::uint8_t> bytes) {
  to_continue = decode(bytes);
  write_unreserved(to_continue.unreserved);
  changed_before() = {names_of(to_continue.process), names_of(to_continue.limits)};
  std::vector<int> timers;
  for (const posix_timer& timer : to_continue.timers) timers.push_back(timer.id);
  const auto to_send = [&](signal_queue& signals) {
    signals = without_timers(signals, timers);
    if (!split::tells_first_ids()) change_sender(signals, to_continue.pid, getpid());
  };
  for (auto& [index, record] : to_continue.threads) to_send(record.pending);
  to_send(to_continue.pending);
  set_records_to_restore(std::move(to_continue.threads));
}

void restore_nothing() { write_unreserved(std::nullopt); }

std::vector<std::string> fewer_processors(std::uint64_t then, std::uint64_t now) {
  if (now >= then) return {};
  return {"it may run on " + std::to_string(now) + (now == 1 ? " processor" : " processors") + " here; at the "
                                                                                               "checkpoint it was " +
          std::to_string(then) + "; the machine and the launcher decide this"};
}

void restore_async_rings() { make_async_rings(to_continue.async_rings); }

/// Attributes come first: a process that excludes huge pages must not be filled with them.
void restore_mappings() {
  write_all(process_attributes_of_memory(), to_continue.process);
  of_mappings = write_mappings(to_continue.mappings);
}

bool is_advised(std::uint64_t begin, std::uint64_t end) {
  const auto& all = to_continue.mappings;
  return to_continue.locks_all != 0 ||
         std::any_of(all.begin(), all.end(), [&](auto& m) { return m.begin < end && begin < m.end; });
}

std::vector<std::string> continue_process() {
  const signal_hold hold;
  std::vector<std::string> refused = refused_by_threads();
  append(refused, std::move(of_mappings));
  append(refused, lock_all(to_continue.locks_all));
  append(refused, seal_mappings(to_continue.mappings));
  append(refused, write_all(process_attributes(), to_continue.process));
  const auto own = records_to_restore().find(lower::the_bridge().main_thread);
  if (own != records_to_restore().end()) {
    append(refused, apply(own->second));
    signal_queue pending = own->second.pending;
    append(refused, take_out_fatal(pending, standard_signals(), lower::thread_blocks()[own->first].signal_mask));
    queue_to_self(pending);
  }
  for (const auto& [index, record] : records_to_restore())
    change_sender_in_frames(interrupted_by_park(lower::thread_blocks()[index]), to_continue.pid, told_own_process());
  append(refused, take_out_fatal(to_continue.pending, standard_signals(), held_by_all()));
  queue_to_process(to_continue.pending);
  append(refused, ask_again(to_continue.notices));
  append(refused, make_timers(with_time_left(to_continue.timers), new_ids()));
  to_continue.intervals[0].it_value = left_of_alarm(to_continue.intervals[0].it_value);
  start_interval_timers(to_continue.intervals);
  keep_stack_limit(to_continue.stack_limit);
  append(refused, write_limits(to_continue.limits));
  for (std::string& what : refused) what += " differs from the checkpoint: its value there is not allowed or not "
                                            "possible here";
  append(refused, fewer_processors(to_continue.processors, usable_processors()));
  to_continue = {};
  return refused;
}

}  // namespace mana::process_state
