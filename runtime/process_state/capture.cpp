#include <runtime/process_state/children.hpp>
#include <runtime/process_state/given.hpp>
#include <runtime/process_state/process_attributes.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/process_state/section.hpp>
#include <runtime/process_state/thread_attributes.hpp>
#include <runtime/process_state/unkept.hpp>

#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace mana::process_state {

namespace {

/// Attributes that a restart restored belong to the program, even if they have the launcher's values.
std::set<std::string> restored_names(std::uint32_t index) {
  std::set<std::string> names;
  const auto record = records_to_restore().find(index);
  if (record == records_to_restore().end()) return names;
  for (const auto& [name, value] : record->second.attributes) names.insert(name);
  return names;
}

thread_record as_saved(std::uint32_t index, thread_record record) {
  record.attributes = changed(record.attributes, given().thread, restored_names(index));
  return record;
}

bool is_in(const signal_queue& signals, int number) noexcept {
  return std::any_of(signals.begin(), signals.end(), [=](const siginfo_t& info) { return info.si_signo == number; });
}

bool stands(const posix_timer& timer) noexcept {
  return timer.time.it_value.tv_sec == 0 && timer.time.it_value.tv_nsec == 0;
}

/// The queue for the timer's signal: the process's, or that of a thread of the program; else none.
const signal_queue* target(const section& s, const posix_timer& timer) {
  if (timer.tid == 0) return &s.pending;
  for (const auto& [index, record] : s.threads)
    if (record.tid == timer.tid) return &record.pending;
  return nullptr;
}

/// Marks timers that have expired. A timer may have expired after the look at pending signals, and before the look at
/// timers.
void mark_expired(section& s) {
  const pending_sets own = pending_of(gettid());
  const auto due = [](std::uint64_t set, int signal) { return (set >> (signal - 1) & 1) != 0; };
  for (posix_timer& timer : s.timers) {
    const signal_queue& waiting = *target(s, timer);
    for (const siginfo_t& info : waiting)
      if (info.si_code == SI_TIMER && info.si_timerid == timer.id) timer.overrun = info.si_overrun;
    const bool silent = (timer.notify & ~SIGEV_THREAD_ID) != SIGEV_SIGNAL || timer.signal < 1;
    if (timer.overrun >= 0 || silent || !stands(timer) || is_in(waiting, timer.signal)) continue;
    if (due(timer.tid == 0 ? own.process : pending_of(timer.tid).thread, timer.signal)) timer.overrun = 0;
  }
  constexpr int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
  for (std::size_t i = 0; i < s.intervals.size(); ++i) {
    const itimerval& t = s.intervals[i];
    const bool once = t.it_interval.tv_sec == 0 && t.it_interval.tv_usec == 0;
    const bool has_time_left = t.it_value.tv_sec != 0 || t.it_value.tv_usec != 0;
    if ((once && has_time_left) || !due(own.process, signals[i]) || is_in(s.pending, signals[i])) continue;
    siginfo_t info{};
    info.si_signo = signals[i];
    info.si_code = SI_KERNEL;
    s.pending.push_back(info);
  }
}

/// Looks at signals first. If a timer expires afterwards, its signal is pending but not in the list, which shows the
/// expiry.
void look_at_signals_and_timers(section& s, captured& result) {
  all_pending pending = look_at_all_signals();
  s.threads[lower::the_bridge().main_thread].pending = std::move(pending.thread);
  s.pending = std::move(pending.process);
  found_timers timers = read_timers();
  if (!timers.known)
    result.warnings.emplace_back(
        "timers of timer_create are not saved: this kernel does not list them in /proc/self/timers");
  s.intervals = read_interval_timers();
  std::erase_if(timers.all, [&](const posix_timer& timer) { return target(s, timer) == nullptr; });
  s.timers = std::move(timers.all);
  mark_expired(s);
}

void look_at_children(captured& result) {
  for (const child& c : children_of_program()) {
    const std::string name = "child process " + std::to_string(c.pid) + " (" + c.command + ")";
    if (c.ended)
      result.warnings.push_back(name + " has ended and nobody has waited for it: after a restart its status is lost");
    else
      result.children.push_back(name + " is not saved: after a restart it no longer exists");
  }
}

std::vector<int> thread_ids(const section& s) {
  std::vector<int> ids;
  for (const auto& [index, record] : s.threads) ids.push_back(record.tid);
  return ids;
}

/// A table that a single thread has (unshare(CLONE_FILES)) is not saved.
void look_at_tables_of_descriptors(captured& result) {
  for (const auto& [index, record] : parked_threads())
    if (syscall(SYS_kcmp, record->tid, gettid(), KCMP_FILES, 0, 0) > 0)
      result.warnings.push_back("thread " + std::to_string(record->tid) +
                                " has descriptors of its own (unshare): after a restart it has the other threads'");
}

/// A restart gives each thread with a directory of its own a separate one.
void look_at_directories(const section& s, captured& result) {
  std::vector<int> apart;
  for (const auto& [index, record] : s.threads)
    if (record.attributes.contains("directory")) apart.push_back(record.tid);
  for (std::size_t i = 0; i + 1 < apart.size(); ++i)
    for (std::size_t k = i + 1; k < apart.size(); ++k)
      if (syscall(SYS_kcmp, apart[i], apart[k], KCMP_FS, 0, 0) == 0)
        result.warnings.push_back("threads " + std::to_string(apart[i]) + " and " + std::to_string(apart[k]) +
            " share a working directory, apart from the other threads' (CLONE_FS): after a restart each has its own");
}

/// INV-90: signals that the program has sent itself have the sender that it knows.
void tell_senders(section& s) {
  const std::int32_t now = getpid(), told = split::told_process_now(now);
  change_sender(s.pending, now, told);
  for (auto& [index, record] : s.threads) change_sender(record.pending, now, told);
}

}  // namespace

captured capture() {
  captured result;
  section s;
  s.async_rings = read_async_rings(result.warnings);      // first: the end of a request changes more than rings
  s.pid = getpid();
  const std::uint32_t main = lower::the_bridge().main_thread;
  s.threads.emplace(main, as_saved(main, look_at_thread()));
  split::note_thread_time(lower::thread_blocks()[main]);
  look_at_signals_of_parked();
  for (const auto& [index, record] : parked_threads()) s.threads.emplace(index, as_saved(index, *record));
  s.process = changed(read_all(process_attributes()), given().process, changed_before().process);
  s.limits = changed(read_limits(), given().limits, changed_before().limits);
  look_at_signals_and_timers(s, result);
  tell_senders(s);
  s.mappings = read_mappings();
  s.unreserved = read_unreserved();
  s.notices = read_notices();
  std::ranges::move(take_keys(s.mappings), std::back_inserter(result.warnings));
  s.locks_all = locks_all();
  s.processors = usable_processors();
  s.stack_limit = soft_stack_limit();
  look_at_children(result);
  look_at_tables_of_descriptors(result);
  look_at_directories(s, result);
  std::ranges::move(unkept(thread_ids(s)), std::back_inserter(result.warnings));
  result.bytes = encode(s);
  return result;
}

}  // namespace mana::process_state
