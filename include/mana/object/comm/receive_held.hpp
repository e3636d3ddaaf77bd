// Takes a matched message out of the network before the program asks for it.
#pragma once
#include <mana/lower/cross.hpp>
#include <mana/object/comm/inbox.hpp>

#include <utility>

namespace mana::object {

/// in: context  of its communicator; message, probed  as the live MPI matched it
/// out: held: the message with its bytes; errors: neutral error class, and nothing is held
inline int receive_held(std::uint64_t context, real<kind::message> message, const neutral::status& probed,
                        held_message*& held) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  held = inbox::make(context, probed);
  if (held == nullptr) lower::cross([&] { s.fatal("no memory to hold a message that was in flight"); });
  neutral::status ignored{};
  const int rc = lower::cross([&] { return s.mrecv_bytes(held->data(), held->bytes, message, &ignored); });
  if (rc != neutral::success) inbox::destroy(std::exchange(held, nullptr));
  return rc;
}

}  // namespace mana::object
