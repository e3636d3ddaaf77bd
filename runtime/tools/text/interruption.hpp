// If a signal ends a command, the files that the command has made so far are removed, as after an error.
#pragma once
#include <signal.h>

#include <array>
#include <stdexcept>

namespace mana::tools {

/// Thrown when a signal came that ends the command.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// While an object lives, the first SIGINT, SIGTERM or SIGHUP waits for check(). An ignored signal stays ignored.
class interruption {
 public:
  interruption() noexcept;
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  /// errors: interrupted
  static void check();
  /// Ends this process with the signal's default action.
  [[noreturn]] static void end_by(int signal) noexcept;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace mana::tools
