// A rank's reports on a step that does not end: the threads that keep it from parking, and the messages that its drain
// waits for. Also the drain's part in the control of checkpoints.
#include <runtime/control/rank_control.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace mana::control {

/// The agent has a timeout only for its report of the threads that keep the rank from parking, once for each line.
int rank_control::sleep_ms() {
  const std::lock_guard hold(lock_);
  if (said_unparked_ || bridge_.current.load() != lower::phase::parking) return -1;
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(report_period()).count()) + 1;
}

void rank_control::say_unparked() {
  said_unparked_ = true;
  const std::string which = bridge_.current.load() == lower::phase::parking ? around_.unparked(in_checkpoint_) : std::string();
  if (!which.empty()) tell_waits("has threads that did not reach a point where they can be saved: " + which);
}

std::uint64_t rank_control::drains() {
  const std::lock_guard hold(lock_);
  return drains_;
}

/// A drain that ends at once reports nothing.
lower::drain_order rank_control::drain_turn() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard hold(lock_);
  if (verdict_known_) return lower::drain_order::end;
  if (now < next_report_) return lower::drain_order::go_on;
  next_report_ = now + report_period();
  return std::exchange(waits_, true) ? lower::drain_order::report : lower::drain_order::go_on;
}

void rank_control::drain_waits(const std::string& what) {
  const std::lock_guard hold(lock_);
  if (std::exchange(last_report_, what) != what) tell_waits(what);
}

void rank_control::tell_waits(const std::string& what) {
  tell(frame_writer(frame_type::waits).put(number_).put(around_.rank).put(what).take());
}

/// The coordinator must know what a rank waits for before the time limit is over.
std::chrono::steady_clock::duration rank_control::report_period() const {
  const double limit_s = around_.limit_s > 0 ? around_.limit_s : default_limit_s;
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(std::min(0.5, limit_s / 4)));
}

void rank_control::drained() {
  const std::lock_guard hold(lock_);
  tell(frame_writer(frame_type::drained).put(number_).take());
}

void rank_control::not_drained(const std::string& why) {
  std::unique_lock hold(lock_);
  if (!why.empty()) tell(frame_writer(frame_type::undrained).put(number_).put(around_.rank).put(why).take());
  await_verdict(hold);
}

}  // namespace mana::control
