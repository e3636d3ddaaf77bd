#include <runtime/tools/text/interruption.hpp>

#include <cstdlib>

namespace mana::tools {
namespace {

constexpr std::array ends{SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t came = 0;

void note(int signal) { came = signal; }

}  // namespace

interruption::interruption() noexcept {
  came = 0;
  struct sigaction noted{};
  noted.sa_handler = note;
  noted.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);      // a second signal ends the command at once
  for (std::size_t i = 0; i < ends.size(); ++i) {
    sigaction(ends[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(ends[i], &noted, nullptr);
  }
}

interruption::~interruption() {
  for (std::size_t i = 0; i < ends.size(); ++i) sigaction(ends[i], &before_[i], nullptr);
}

void interruption::check() {
  if (came != 0) throw interrupted(came);
}

void interruption::end_by(int signal) noexcept {
  ::signal(signal, SIG_DFL);
  raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace mana::tools
