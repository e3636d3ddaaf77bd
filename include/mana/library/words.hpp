// Receives the messages that wrappers of different processes send each other, while a request waits for them.
#pragma once
#include <mana/object/comm/counting.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/completion/handshake.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>

namespace mana::library {

/// The oldest handshake; nullptr if none has come.
inline object::held_message* next_handshake() noexcept {
  vid::entry<kind::comm>& on = object::comms().hidden;
  if (object::held_message* const held = object::take_held(on.what, neutral::any_source, object::handshake_tag))
    return held;
  const lower::services& s = *lower::the_bridge().service;
  int there = 0;
  real<kind::message> message{};
  neutral::status status{};
  const int rc = lower::cross([&] {
    return s.mprobe(neutral::any_source, object::handshake_tag, on.real, 0, &there, &message, &status); });
  object::held_message* held = nullptr;
  if (rc != neutral::success || there == 0) return nullptr;
  if (object::receive_held(on.what.context, message, status, held) != neutral::success) return nullptr;
  object::count_received(*on.what.messages, status.source);
  return held;
}

/// One thread at a time receives them; the other threads return at once.
inline void receive_handshakes() noexcept {
  static std::atomic_flag turn = ATOMIC_FLAG_INIT;
  if (turn.test_and_set(std::memory_order_acquire)) return;
  while (object::held_message* const held = next_handshake()) {
    object::handshake_word word{};
    if (held->bytes == sizeof word) std::memcpy(&word, held->data(), sizeof word);
    object::inbox::destroy(held);
    object::meet(word);
  }
  turn.clear(std::memory_order_release);
}

/// The body of receive_words() (object/request/completion/completion.hpp).
inline void receive_all_words() noexcept {
  object::receive_all_firsts();
  receive_handshakes();
}

}  // namespace mana::library
