#include "wire.hpp"

namespace mana::control {

namespace {

void put(frame_writer& w, const clock::snapshot& m) { w.put(m.counts); }
void put(frame_writer& w, const clock::raise& m) { w.put(m.target); }
void put(frame_writer& w, const clock::need& m) { w.put(m.peers); }
void put(frame_writer&, const clock::need_end&) {}
void put(frame_writer& w, const clock::report& m) { w.put(m.version); }
void put(frame_writer&, const clock::pending&) {}
void put(frame_writer& w, const clock::state& m) { w.put(m.version).put(m.targets).put(m.needed_by); }
void put(frame_writer&, const clock::line&) {}
void put(frame_writer&, const clock::given_up&) {}

/// The alternative's index is its number on the wire.
template <class Variant>
bytes encode_as(frame_type type, const Variant& message) {
  frame_writer w(type);
  w.put(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& m) { put(w, m); }, message);
  return w.take();
}

}  // namespace

bytes encode(const clock::upward& message) { return encode_as(frame_type::clock_up, message); }
bytes encode(const clock::downward& message) { return encode_as(frame_type::clock_down, message); }

clock::upward decode_upward(frame_reader& frame) {
  switch (frame.get<std::uint8_t>()) {
    case 0: return clock::snapshot{frame.counts()};
    case 1: return clock::raise{frame.count()};
    case 2: return clock::need{frame.ints()};
    case 3: return clock::need_end{};
    case 4: return clock::report{frame.get<std::uint64_t>()};
    default: throw wire_error();
  }
}

clock::downward decode_downward(frame_reader& frame) {
  switch (frame.get<std::uint8_t>()) {
    case 0: return clock::pending{};
    case 1: {
      clock::state s;
      s.version = frame.get<std::uint64_t>();
      s.targets = frame.counts();
      s.needed_by = frame.ints();
      return s;
    }
    case 2: return clock::line{};
    case 3: return clock::given_up{};
    default: throw wire_error();
  }
}

}  // namespace mana::control
