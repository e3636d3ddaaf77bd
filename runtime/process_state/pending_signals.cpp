#include <runtime/process_state/pending_signals.hpp>

#include <arch/registers.hpp>

#include <runtime/process_state/timers.hpp>

#include <runtime/split/traps/signals/signals.hpp>
#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/raw.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace mana::process_state {

namespace {

constexpr std::size_t most = std::size_t{1} << 17;     // so that an endless sender does not hold up a checkpoint

bool is_timers(const siginfo_t& info) noexcept { return info.si_code == SI_TIMER; }

/// Takes from the thread's queue as long as it has a signal of the set, else from the process's.
bool take(std::uint64_t set, siginfo_t& info) noexcept {
  const struct { long seconds, nanoseconds; } none{0, 0};
  const long got = split::raw_call(SYS_rt_sigtimedwait, split::as_word(&set), split::as_word(&info),
                                   split::as_word(&none), split::signal_set_bytes);
  return got > 0;
}

/// in: pending_set  () → the signals that remain in the queue
template <class F>
signal_queue take_all(F&& pending_set) {
  signal_queue taken;
  std::uint64_t wanted = split::every_signal;
  siginfo_t info{};
  for (std::uint64_t left = pending_set(); (left &= wanted) != 0 && taken.size() < most; left = pending_set()) {
    if (!take(left, info)) break;
    // A timer that expires again at once would never run out of signals.
    const bool again = is_timers(info) && std::any_of(taken.begin(), taken.end(), [&](const siginfo_t& other) {
      return is_timers(other) && other.si_timerid == info.si_timerid && other.si_signo == info.si_signo;
    });
    if (again) wanted &= ~split::one_signal(info.si_signo);
    taken.push_back(info);
  }
  join_timer_signals(taken);
  return taken;
}

template <class Send>
std::size_t send_all(const signal_queue& signals, Send&& send) {
  std::size_t lost = 0;
  for (const siginfo_t& info : signals) {
    long result = send(info);
    if (result == -EAGAIN) {                           // other processes of this user took the room meanwhile
      rlimit before{};
      getrlimit(RLIMIT_SIGPENDING, &before);
      const rlimit more{before.rlim_max, before.rlim_max};
      setrlimit(RLIMIT_SIGPENDING, &more);
      result = send(info);
      setrlimit(RLIMIT_SIGPENDING, &before);
    }
    if (split::is_error(result)) ++lost;
  }
  return lost;
}

signal_queue not_sent_again(const signal_queue& taken) { return without_timers(taken, send_again(taken)); }

bool any_pending() noexcept {
  std::uint64_t set = 0;
  split::raw_call(SYS_rt_sigpending, split::as_word(&set), split::signal_set_bytes);
  return split::without_ours(set) != 0;
}

}  // namespace

pending_sets pending_of(int tid) {
  std::ifstream status("/proc/self/task/" + std::to_string(tid) + "/status");
  pending_sets found;
  unsigned long set = 0;
  for (std::string line; std::getline(status, line);) {
    if (std::sscanf(line.c_str(), "SigPnd: %lx", &set) == 1) found.thread = split::without_ours(set);
    if (std::sscanf(line.c_str(), "ShdPnd: %lx", &set) == 1) {
      found.process = split::without_ours(set);
      break;
    }
  }
  return found;
}

signal_queue look_at_own_signals() {
  if (!any_pending()) return {};
  const int self = gettid();
  signal_queue own = take_all([self] { return pending_of(self).thread; });
  queue_to_self(not_sent_again(own));
  return own;
}

all_pending look_at_all_signals() {
  if (!any_pending()) return {};
  const int self = gettid();
  all_pending all;
  all.thread = take_all([self] { return pending_of(self).thread; });
  all.process = take_all([self] { return pending_of(self).process; });
  queue_to_self(not_sent_again(all.thread));
  queue_to_process(not_sent_again(all.process));
  return all;
}

std::size_t queue_to_self(const signal_queue& signals) {
  const long process = getpid(), self = gettid();
  return send_all(signals, [=](const siginfo_t& info) {
    return split::raw_call(SYS_rt_tgsigqueueinfo, process, self, info.si_signo, split::as_word(&info));
  });
}

/// Only the initial thread may name another sender of a signal. Another thread sends the signal as its own.
std::size_t queue_to_process(const signal_queue& signals) {
  const long process = getpid();
  return send_all(signals, [=](const siginfo_t& info) {
    const long result = split::raw_call(SYS_rt_sigqueueinfo, process, info.si_signo, split::as_word(&info));
    return result == -EPERM ? split::raw_call(SYS_kill, process, info.si_signo) : result;
  });
}

void join_timer_signals(signal_queue& signals) {
  signal_queue joined;
  for (const siginfo_t& info : signals) {
    const auto first = std::find_if(joined.begin(), joined.end(), [&](const siginfo_t& other) {
      return is_timers(info) && is_timers(other) && other.si_timerid == info.si_timerid &&
             other.si_signo == info.si_signo;
    });
    if (first == joined.end()) joined.push_back(info);
    else first->si_overrun += info.si_overrun + 1;
  }
  signals = std::move(joined);
}

std::vector<std::string> take_out_fatal(signal_queue& signals, std::uint64_t standard, std::uint64_t held) {
  constexpr int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};
  std::vector<std::string> taken;
  std::erase_if(signals, [&](const siginfo_t& info) {
    const bool ends = std::find(std::begin(harmless), std::end(harmless), info.si_signo) == std::end(harmless);
    if (!ends || (standard & ~held & split::one_signal(info.si_signo)) == 0) return false;
    const std::string words = std::string("a signal that was ending the program (") + strsignal(info.si_signo) + ")";
    if (std::find(taken.begin(), taken.end(), words) == taken.end()) taken.push_back(words);
    return true;
  });
  return taken;
}

void change_sender(siginfo_t& info, int before, int now) noexcept {
  const bool has_sender = info.si_code == SI_USER || info.si_code == SI_TKILL || info.si_code == SI_QUEUE ||
                          info.si_code == SI_MESGQ;
  if (has_sender && info.si_pid == before) info.si_pid = now;
}

void change_sender(signal_queue& signals, int before, int now) noexcept {
  for (siginfo_t& info : signals) change_sender(info, before, now);
}

void change_sender_in_frames(ucontext_t* context, int before, int now) noexcept {
  const auto begins_handler = [](arch::register_word instruction) {
    const auto at = static_cast<std::uintptr_t>(instruction);
    const split::stub_symbols& stub = split::stub();
    return at == stub.signal_trampoline || at == stub.trap_trampoline || at == stub.park_trampoline;
  };
  while (context != nullptr && begins_handler(arch::registers(*context)[arch::instruction])) {
    change_sender(*reinterpret_cast<siginfo_t*>(arch::registers(*context)[arch::handler_argument[1]]), before, now);
    context = reinterpret_cast<ucontext_t*>(arch::registers(*context)[arch::handler_argument[2]]);
  }
}

signal_queue without_timers(const signal_queue& signals, std::span<const int> timers) {
  signal_queue left;
  std::copy_if(signals.begin(), signals.end(), std::back_inserter(left), [&](const siginfo_t& info) {
    return !is_timers(info) || std::find(timers.begin(), timers.end(), info.si_timerid) == timers.end();
  });
  return left;
}

}  // namespace mana::process_state
