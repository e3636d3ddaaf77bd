// Messages of policies in frames: they come out as they went in, or as an error.
#include <runtime/control/endpoint.hpp>
#include <runtime/control/wire.hpp>

#include <mana/clock/collective_clock.hpp>
#include <mana/clock/needs.hpp>
#include <mana/clock/two_phase_commit.hpp>

#include <doctest/doctest.h>

namespace control_wire_tests {

using namespace mana;
using namespace mana::control;

namespace {

/// The frame without its length, as connections hand it on.
template <class Message>
bytes body_of(const Message& message) {
  bytes frame = frame_writer(frame_type::clock_up).put(message).take();
  frame.erase(frame.begin(), frame.begin() + 4);
  return frame;
}

template <class Message>
Message again(const bytes& body) {
  return frame_reader(body).get<Message>();
}

const clock::group_count count{{7, 9}, 300, {0, 2, 5}};
const clock::needs::up whole_news = clock::needs::news{0, true, {count, count}, {}};

}  // namespace

TEST_CASE("a policy's messages come out of frames as they went in") {
  const clock::needs::news said{1ull << 40, true, {count, {}}, {{3, true, false, {1, 4}}}};
  const auto up = std::get<clock::needs::news>(again<clock::needs::up>(body_of(clock::needs::up(said))));
  CHECK(up.version == said.version);
  CHECK(up.quiet);
  CHECK(up.counts == said.counts);
  CHECK(up.waits == said.waits);
  const clock::needs::orders told{3, {count}, {1, 4}, {}};
  const auto down = std::get<clock::needs::orders>(again<clock::needs::down>(body_of(clock::needs::down(told))));
  CHECK(down.version == 3);
  CHECK(down.targets == told.targets);
  CHECK(down.needed == told.needed);
  CHECK(down.no_longer.empty());
  const auto state = again<clock::two_phase_commit::up>(body_of(clock::two_phase_commit::up(
      clock::two_phase_commit::moved{})));
  CHECK(std::holds_alternative<clock::two_phase_commit::moved>(state));
}

TEST_CASE("a message that is cut off, or of no kind that there is, is an error") {
  const bytes whole = body_of(whole_news);
  for (std::size_t n = 1; n < whole.size(); ++n) {
    CAPTURE(n);
    CHECK_THROWS_AS(again<clock::needs::up>(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))),
                    wire_error);
  }
  bytes unknown = whole;
  unknown[1] = 5;
  CHECK_THROWS_AS(again<clock::needs::up>(unknown), wire_error);
}

TEST_CASE("a list is as long as its frame has room for") {
  const bytes far_too_long = [] {
    bytes body = body_of(whole_news);
    body[2 + 9 + 3] = 0x7f;  // the first list's length
    return body;
  }();
  CHECK_THROWS_AS(again<clock::needs::up>(far_too_long), wire_error);
}

TEST_CASE("a place of a coordinator that is cut off before its end is malformed, however short") {
  const bytes whole = encode(endpoint{"node", {"127.0.0.1"}, 7, {}});
  CHECK(decode_endpoint(whole).port == 7);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    CHECK_THROWS_AS(decode_endpoint(std::span(whole).first(n)), wire_error);
  }
}

}  // namespace control_wire_tests
