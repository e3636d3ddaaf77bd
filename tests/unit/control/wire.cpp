// Messages of policies in frames: they come out as they went in, or as an error.
#include <wire.hpp>

#include <mana/clock/collective_clock.hpp>
#include <mana/clock/needs.hpp>

#include <doctest/doctest.h>

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

}  // namespace

TEST_CASE("a policy's messages come out of frames as they went in") {
  const auto snapshot = again<clock::needs::up>(body_of(clock::needs::up(clock::needs::snapshot{{count, {}}})));
  CHECK(std::get<clock::needs::snapshot>(snapshot).counts == std::vector<clock::group_count>{count, {}});
  const auto report = again<clock::needs::up>(body_of(clock::needs::up(clock::needs::report{1ull << 40})));
  CHECK(std::get<clock::needs::report>(report).version == 1ull << 40);
  CHECK(std::holds_alternative<clock::needs::need_end>(
      again<clock::needs::up>(body_of(clock::needs::up(clock::needs::need_end{})))));
  const auto down = again<clock::needs::down>(body_of(clock::needs::down(clock::needs::state{3, {count}, {1, 4}})));
  const auto& state = std::get<clock::needs::state>(down);
  CHECK(state.version == 3);
  CHECK(state.targets == std::vector<clock::group_count>{count});
  CHECK(state.needed_by == std::vector<int>{1, 4});
}

TEST_CASE("a message that is cut off, or of no kind that there is, is an error") {
  const bytes whole = body_of(clock::needs::up(clock::needs::snapshot{{count, count}}));
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
    bytes body = body_of(clock::needs::up(clock::needs::snapshot{{count}}));
    body[2 + 3] = 0x7f;  // the list's length
    return body;
  }();
  CHECK_THROWS_AS(again<clock::needs::up>(far_too_long), wire_error);
}
