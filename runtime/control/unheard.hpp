// The frames that an agent or a relay has sent over a connection that may be cut off before the listener reads it.
//
// A connection is a stranger's until its hello is read. If hundreds connect at the same time, strangers are cut off. The
// agent then connects again and sends the same frames. After the welcome, the end of the connection is the listener's end.
#pragma once
#include <runtime/control/wire.hpp>

namespace mana::control {

class unheard {
 public:
  static constexpr int pause_ms = 100;      // before the next attempt to connect

  void note(const bytes& frame) {
    if (!welcome_) told_.insert(told_.end(), frame.begin(), frame.end());
  }
  void on_welcome() noexcept {
    welcome_ = true;
    told_.clear();
  }
  /// The connection was lost.
  /// out: whether to connect again; false: the listener has ended, or has cut this process off too often
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
