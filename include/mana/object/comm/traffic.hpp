// The traffic of one communicator: messages by peer, and the synchronous sends that no receive has met yet.
#pragma once
#include <mana/vid/rank_map.hpp>

#include <atomic>
#include <cstdint>

namespace mana::object {

/// The name of a communicator: the same in every process with members in it, and different for every other one.
struct comm_name {
  std::uint64_t ggid = 0, check = 0;   // of all members: group_clock
  std::uint64_t lineage = 0;           // descriptor<kind::comm>::lineage
  friend bool operator==(const comm_name&, const comm_name&) noexcept = default;
};

/// Messages to and from one peer since the communicator was made.
struct message_counts {
  std::uint64_t sent = 0, received = 0;
};

/// Messages of one peer and tag are received in the order in which they were sent. So the number of messages sent after
/// a synchronous send is its message's position, from the end, among those that the receiver holds.
struct synchronous_envelope {
  int peer = 0, tag = 0;
  std::uint32_t open = 0;              // synchronous sends that are not complete
  std::uint64_t sent = 0;              // messages since the first of them, that one included
  synchronous_envelope* next = nullptr;
};

/// Envelopes that have had synchronous sends. The first such send makes the ledger.
struct synchronous_ledger {
  static constexpr unsigned buckets = 64;
  std::atomic<std::uint32_t> open{0};  // of all envelopes
  synchronous_envelope* envelopes[buckets] = {};
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
};

/// INV-4 with all threads parked, sent (at the sender) minus received (at the receiver) is what is in flight on this
/// communicator.
/// Because: a message counts as sent before its wrapper returns. It counts as received when it is in the program's
/// hands or in the inbox. The counts live as long as the communicator, until nothing names it (INV-67).
struct traffic {
  comm_name name;
  const vid::rank_map* peers = nullptr;     // the processes that the ranks of messages mean
  int own_rank = 0;                    // of this process, as its peers see it
  message_counts* counts = nullptr;    // message_counts[peers->size]
  synchronous_ledger* synchronous = nullptr;
  std::uint64_t context = 0;           // descriptor<kind::comm>::context
  bool is_freed = false;               // by the program, which still has requests or matched messages
  traffic* next = nullptr;             // of all of this process's communicators
};

/// How many messages a communicator had sent to one process before it ended. The receiver may still have the
/// communicator, for a pending receive, so the next drain reports the number.
struct ended_traffic {
  comm_name name;
  int world_rank = 0;                  // of that process
  int from = 0;                        // traffic::own_rank
  std::uint64_t sent = 0;
};

}  // namespace mana::object
