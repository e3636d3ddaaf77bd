// State of matched messages: how many the program has, and how many messages have passed each.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/message/descriptor.hpp>

#include <atomic>

namespace mana::object {

struct message_state {
  std::atomic<int> matched{0};              // messages that the program has matched, but not received
};

inline message_state the_messages;
inline message_state& messages() noexcept { return the_messages; }

/// The program receives a message while it has matched others. It passes the ones of the same source and tag that were
/// matched before the receive was posted: those were sent earlier.
[[gnu::noinline, gnu::cold]] inline void note_passed(const traffic& t, int source, int tag,
                                                     std::uint64_t posted) noexcept {
  vid::table<kind::message>().for_each_unordered([&](vid::entry<kind::message>& e) {
    if (e.what.messages == &t && e.what.status.source == source && e.what.status.tag == tag && e.what.matched < posted)
      count_one(e.what.passed, call::library().callers);
  });
}
/// posted: order of the receive among matches and receives; without it: a receive that is complete at once
[[gnu::always_inline]] inline void note_received(const traffic& t, int source, int tag,
                                                 std::uint64_t posted = UINT64_MAX) noexcept {
  if (messages().matched.load(std::memory_order_relaxed) != 0) [[unlikely]] note_passed(t, source, tag, posted);
}

}  // namespace mana::object
