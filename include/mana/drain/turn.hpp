// One turn of a drain's loops: whether the checkpoint continues, and what has failed. An error of the live MPI gives up
// the checkpoint.
#pragma once
#include <mana/drain/sentence.hpp>

namespace mana::drain {

/// The state of a drain on this rank.
class progress {
 public:
  bool failed() const noexcept { return !why_.empty(); }
  const char* why() const noexcept { return why_.text(); }
  bool over() const noexcept { return over_; }

  /// Notes that a call of the live MPI failed; the first failure counts. on: the object of the call; nullptr: unknown
  /// out: the error
  template <class What = char>
  int check(int neutral_class, const char* call, const What* on = nullptr) noexcept {
    if (neutral_class == neutral::success || failed()) return neutral_class;
    why_ << call;
    if (on != nullptr) why_ << " on " << *on;
    add_error(why_ << " failed while messages were drained", neutral_class);
    return neutral_class;
  }

  /// Called between two polls of a loop. waits(sentence&): says what this rank waits for; called from time to time.
  /// out: false: end the loop, because the drain has failed here or was given up
  template <class Waits>
  bool next(Waits&& waits) noexcept {
    if (failed()) return false;
    const lower::services& s = *lower::the_bridge().service;
    const lower::drain_order order = lower::cross([&] { return s.drain_turn(); });
    if (order == lower::drain_order::end) over_ = true;
    if (order == lower::drain_order::report) {
      sentence said;
      waits(said);
      if (!said.empty()) lower::cross([&] { s.drain_waits(said.text()); });
    }
    return !over_;
  }

 private:
  sentence why_;
  bool over_ = false;
};

}  // namespace mana::drain
