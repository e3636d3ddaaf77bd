// Messages of hosts in traces: type and payload.
#pragma once
#include "trace.hpp"

#include <mana/clock/host.hpp>

namespace clock_replay {

using mana::clock::request_number;
using mana::control::frame_reader;
using mana::control::frame_type;
using mana::control::frame_writer;
using mana::control::wire_error;

inline bytes message(frame_type type, std::span<const std::uint8_t> payload = {}) {
  return body_of(frame_writer(type).raw(payload.data(), payload.size()).take());
}

inline bytes request_message(request_number number) {
  return body_of(frame_writer(frame_type::requested).put(number).take());
}

inline bytes rest_of(const frame_reader& from) { return {from.rest().begin(), from.rest().end()}; }
inline frame_type type_of_message(std::span<const std::uint8_t> m) {
  return m.empty() ? frame_type{} : static_cast<frame_type>(m[0]);
}

/// A policy that cannot read a message says nothing to it; the process has cut the connection.
template <class Told>
void told_unless_malformed(Told&& tell) {
  try {
    tell();
  } catch (const wire_error&) {}
}

}  // namespace clock_replay
