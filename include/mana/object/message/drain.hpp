// Matched messages in a drain.
#pragma once
#include <mana/drain/turn.hpp>
#include <mana/object/comm/in_words.hpp>
#include <mana/object/comm/receive_held.hpp>
#include <mana/object/message/state.hpp>

namespace mana::object {

/// Takes over the matched messages that the program has not received yet, as held ones: their real handles become
/// invalid with the lower half.
inline void hold_matched(drain::progress& judge) noexcept {
  vid::table<kind::message>().for_each_unordered([&](vid::entry<kind::message>& e) {
    if (judge.failed() || e.what.held != nullptr || !e.real) return;
    if (judge.check(receive_held(0, e.real, e.what.status, e.what.held), "MPI_Mrecv", e.what.messages) != neutral::success)
      return;
    e.real = {};
    count_received(*e.what.messages, e.what.status.source);
  });
}

}  // namespace mana::object
