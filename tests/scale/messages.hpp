// Point-to-point messages and requests of the simulated MPI, as one rank has them.
#pragma once
#include "rank_program.hpp"

#include <cstdint>
#include <vector>

namespace clock_scale {

constexpr int anyone = -1;   // source of a receive
constexpr int no_slot = -1;  // of a request that is done from the beginning

struct message {
  int source = anyone, tag = 0;
  std::int64_t value = 0;
};

struct request {
  int slot = no_slot;
};

/// A message on its way, or here and not received.
struct envelope {
  message what;
  std::int64_t bytes = 0;
  int to = 0, sender_slot = no_slot;  // no_slot: eager, the sender waits for nothing
};

struct request_slot {
  enum class state : std::uint8_t { unused, receiving, matched, sending, collective, done };
  state now = state::unused;
  bool is_awaited = false;  // by the rank's program, now
  message what;  // a receive's source and tag, later the message; a send's destination as source

  bool is_message() const noexcept {
    return now == state::receiving || now == state::matched || now == state::sending;
  }
};

struct counted_group {
  std::uint32_t group, count;
};

class wait_operation;
class collective_operation;

struct rank_state {
  rank_program program;
  std::vector<counted_group> counts;     // collectives started
  std::vector<request_slot> slots;
  std::vector<int> posted;               // slots of receives without a message, in the order of posting
  std::vector<envelope> unexpected;      // in the order of arrival
  wait_operation* waiting = nullptr;     // what its program is suspended in
  collective_operation* held = nullptr;  // the same
  std::uint32_t missing = 0;             // of what it waits for
  bool quiesces = false;                 // a checkpoint is pending: starts ask, waits are told
  bool announced = false;                // the clock was told of a wait
};

inline bool matches(const message& wanted, const message& sent) {
  return (wanted.source == anyone || wanted.source == sent.source) && wanted.tag == sent.tag;
}

}  // namespace clock_scale
