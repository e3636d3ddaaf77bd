#include <runtime/tools/text/signal_names.hpp>

#include <runtime/tools/text/failure.hpp>

#include <mana/lower/signals.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <iterator>

namespace mana::tools {
namespace {

constexpr int last_signal = 64;

bool may_ask(int signal) {
  static constexpr int never[] = {SIGKILL, SIGSTOP, SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGCHLD,
                                  SIGPIPE, 32, lower::park_signal};
  return signal >= 1 && signal <= last_signal &&
         std::find(std::begin(never), std::end(never), signal) == std::end(never);
}

/// out: 0 if the word is no signal
int number_of(std::string word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size()) return number;
  if (word.starts_with("SIG")) word.erase(0, 3);
  for (int signal = 1; signal <= last_signal; ++signal)
    if (const char* const name = sigabbrev_np(signal); name != nullptr && word == name) return signal;
  return 0;
}

}  // namespace

std::uint64_t parse_signals(const std::string& text) {
  std::uint64_t set = 0;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::string word = text.substr(begin, end - begin);
    const int signal = number_of(word);
    if (!may_ask(signal))
      throw failure(exit_status::usage, fmt::format("\"{}\" is not a signal that can ask for a checkpoint", word),
                    "for example USR1, USR2, TERM, HUP, XCPU");
    set |= std::uint64_t{1} << (signal - 1);
  }
  return set;
}

}  // namespace mana::tools
