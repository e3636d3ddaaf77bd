#include <runtime/job/own/standard_ends.hpp>

#include <runtime/split/traps/signals/signals.hpp>

#include <bit>

namespace mana::job {

/// Leaves signals alone that the launcher ignores (nohup), and those that ask for a checkpoint.
standard_ends::standard_ends() {
  for (std::uint64_t set = split::without_ours(lower::end_signals); set != 0; set &= set - 1) {
    const int signal = std::countr_zero(set) + 1;
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
    before_.emplace_back(signal, now);
    ::signal(signal, SIG_DFL);
  }
}

standard_ends::~standard_ends() {
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
}

}  // namespace mana::job
