// Ending a command that makes files by a signal, as by an error: what it has made so far goes.
#pragma once
#include <signal.h>

#include <array>
#include <stdexcept>

namespace mana::tools {

/// Thrown where a signal came that ends the command.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// As long as one lives, SIGINT, SIGTERM and SIGHUP wait for check(), the first time that they come; what is ignored stays so.
class interruption {
 public:
  interruption() noexcept;
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  /// errors: interrupted
  static void check();
  /// Ends this process as the signal does by itself.
  [[noreturn]] static void end_by(int signal) noexcept;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace mana::tools
