// What the wrappers of different processes tell each other, as it is received while a request waits for it.
#pragma once
#include <mana/object/request/completion/handshake.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>

namespace mana::wrap {

/// The oldest one; nullptr if none has come.
inline vid::held_message* next_handshake() noexcept {
  vid::entry<kind::comm>& on = library().hidden;
  if (vid::held_message* const held = take_held(on.what, neutral::any_source, handshake_tag)) return held;
  const lower::services& s = *lower::the_bridge().service;
  int there = 0;
  std::uint64_t message = 0;
  neutral::status status{};
  const int rc = lower::cross([&] {
    return s.mprobe(neutral::any_source, handshake_tag, on.real, 0, &there, &message, &status); });
  vid::held_message* held = nullptr;
  if (rc != neutral::success || there == 0) return nullptr;
  if (drain::receive_held(on.what.context, message, status, held) != neutral::success) return nullptr;
  count_received(*on.what.messages, status.source);
  return held;
}

/// One thread at a time; another's turn is as good.
inline void receive_handshakes() noexcept {
  static std::atomic_flag turn = ATOMIC_FLAG_INIT;
  if (turn.test_and_set(std::memory_order_acquire)) return;
  while (vid::held_message* const held = next_handshake()) {
    handshake_word word{};
    if (held->bytes == sizeof word) std::memcpy(&word, held->data(), sizeof word);
    drain::inbox::destroy(held);
    meet(word);
  }
  turn.clear(std::memory_order_release);
}

/// receive_words().
inline void receive_all_words() noexcept {
  receive_all_firsts();
  receive_handshakes();
}

}  // namespace mana::wrap
