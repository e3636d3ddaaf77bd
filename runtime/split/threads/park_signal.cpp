#include <runtime/split/threads/park_signal.hpp>

#include <runtime/split/window/raw.hpp>

#include <mana/lower/signals.hpp>

#include <sys/resource.h>

#include <cerrno>
#include <csignal>

namespace mana::split {

void send_park_signal(int tid) noexcept {
  const long process = raw_call(SYS_getpid);
  siginfo_t info{};
  info.si_signo = lower::park_signal;
  info.si_code = SI_QUEUE;
  info.si_pid = static_cast<pid_t>(process);
  info.si_ptr = reinterpret_cast<void*>(lower::park_value);
  const auto send = [&] { return raw_call(SYS_rt_tgsigqueueinfo, process, tid, lower::park_signal, as_word(&info)); };
  if (send() != -EAGAIN) return;
  rlimit before{};                         // the user's pending signals have used up the limit
  raw_call(SYS_getrlimit, RLIMIT_SIGPENDING, as_word(&before));
  const rlimit more{before.rlim_max, before.rlim_max};
  raw_call(SYS_setrlimit, RLIMIT_SIGPENDING, as_word(&more));
  send();
  raw_call(SYS_setrlimit, RLIMIT_SIGPENDING, as_word(&before));
}

}  // namespace mana::split
