// What one communicator has carried: messages by peer, and the synchronous sends that no receive has met yet.
#pragma once
#include <mana/vid/rank_map.hpp>

#include <atomic>
#include <cstdint>

namespace mana::object {

/// Names a communicator in every process that it has members in, and no other.
struct comm_name {
  std::uint64_t ggid = 0, check = 0;   // of all members: group_clock
  std::uint64_t lineage = 0;           // descriptor<kind::comm>::lineage
  friend bool operator==(const comm_name&, const comm_name&) noexcept = default;
};

/// Messages to and from one peer since the communicator was made.
struct message_counts {
  std::uint64_t sent = 0, received = 0;
};

/// Messages of one peer and tag are received in the order in which they were sent. So how many were sent after a
/// synchronous send says where its message is among those that its receiver holds: so many places from the end.
struct synchronous_envelope {
  int peer = 0, tag = 0;
  std::uint32_t open = 0;              // synchronous sends that are not complete
  std::uint64_t sent = 0;              // messages since the first of them, that one included
  synchronous_envelope* next = nullptr;
};

/// Envelopes that have had synchronous sends. Made by the first one.
struct synchronous_ledger {
  static constexpr unsigned buckets = 64;
  std::atomic<std::uint32_t> open{0};  // of all envelopes
  synchronous_envelope* envelopes[buckets] = {};
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
};

/// INV-4 with all threads parked, sent (at the sender) minus received (at the receiver) is what is in flight on this
/// communicator. Because: sent is counted before the wrapper that sent is left, received when the message is in the
/// program's hands or in the inbox. The counts live as long as the communicator: until nothing names it any more (INV-67).
struct traffic {
  comm_name name;
  const vid::rank_map* peers = nullptr;     // what the ranks of messages mean
  int own_rank = 0;                    // of this process, as its peers see it
  message_counts* counts = nullptr;    // message_counts[peers->size]
  synchronous_ledger* synchronous = nullptr;
  std::uint64_t context = 0;           // descriptor<kind::comm>::context
  bool is_freed = false;               // by the program, which has requests or matched messages left
  traffic* next = nullptr;             // of all of this process's communicators
};

/// What a communicator that has ended had sent to one process. Its receiver may still have the communicator, for a pending
/// receive; so this is told in the next drain.
struct ended_traffic {
  comm_name name;
  int world_rank = 0;                  // of that process
  int from = 0;                        // traffic::own_rank
  std::uint64_t sent = 0;
};

}  // namespace mana::object
