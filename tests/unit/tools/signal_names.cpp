#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/signal_names.hpp>

#include <doctest/doctest.h>

#include <csignal>

namespace tools_signal_names_tests {

using namespace mana::tools;

TEST_CASE("signals by name and number") {
  const auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  CHECK(parse_signals("USR1") == bit(SIGUSR1));
  CHECK(parse_signals("SIGTERM,12,XCPU") == (bit(SIGTERM) | bit(SIGUSR2) | bit(SIGXCPU)));
  CHECK(parse_signals("40,64") == (bit(40) | bit(64)));
}

TEST_CASE("signals that cannot ask for a checkpoint") {
  for (const char* const word : {"", "KILL", "STOP", "SEGV", "SYS", "CHLD", "0", "65", "-1", "33", "32", "usr1",
                                 "USR1 ", "USR1,", "USR1,,TERM"}) {
    CAPTURE(word);
    CHECK_THROWS_AS(parse_signals(word), failure);
  }
}

}  // namespace tools_signal_names_tests
