// What an agent or a relay has told over a line that may be cut off before anybody reads it.
//
// Whoever connects is a stranger until its hello is read. Where hundreds connect at the same time, strangers are cut off. Then
// the line is made again, and is told the same. Once the line is welcome, its end is the end of whoever listened.
#pragma once
#include <runtime/control/wire.hpp>

namespace mana::control {

class unheard {
 public:
  static constexpr int pause_ms = 100;      // before a line is made again

  void note(const bytes& frame) {
    if (!welcome_) told_.insert(told_.end(), frame.begin(), frame.end());
  }
  void on_welcome() noexcept {
    welcome_ = true;
    told_.clear();
  }
  /// The line was lost. out: whether it is to be made again; false: its other end has gone, or never lets this process in
  bool try_again() noexcept {
    constexpr int most_tries = 100;
    return !welcome_ && tries_++ < most_tries;
  }
  const bytes& told() const noexcept { return told_; }

 private:
  bytes told_;
  bool welcome_ = false;
  int tries_ = 0;
};

}  // namespace mana::control
