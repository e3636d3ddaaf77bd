// The life of the counts of a communicator's messages. A communicator that ends leaves rows for the next drain.
#pragma once
#include <mana/object/comm/state.hpp>

#include <cstdlib>
#include <new>
#include <utility>

namespace mana::object {

class traffic_hold {
 public:
  traffic_hold() noexcept { while (comms().traffic_lock.test_and_set(std::memory_order_acquire)) {} }
  ~traffic_hold() { comms().traffic_lock.clear(std::memory_order_release); }
  traffic_hold(const traffic_hold&) = delete;
  traffic_hold& operator=(const traffic_hold&) = delete;
};

/// Makes the counts of a communicator that has none. Pages of counts that no message touches stay untouched.
inline void begin_traffic(descriptor<kind::comm>& comm) noexcept {
  auto* const made = new (std::nothrow) traffic;
  if (made != nullptr)
    made->counts = static_cast<message_counts*>(
        std::calloc(static_cast<std::size_t>(comm.peers->size), sizeof(message_counts)));
  if (made == nullptr || (made->counts == nullptr && comm.peers->size != 0)) std::abort();
  made->name = {comm.everyone->ggid, comm.everyone->check, comm.lineage};
  made->peers = comm.peers;
  made->own_rank = comm.ranks->own_rank;
  made->context = comm.context;
  comm.messages = made;
  const traffic_hold hold;
  made->next = comms().traffics;
  comms().traffics = made;
}

/// Rows that are kept for the next drain. If the row of a communicator was overwritten, a pending receive on it is not
/// drained.
inline constexpr std::uint64_t most_ended = 1 << 16;

/// Caller holds the traffic_lock.
inline void note_ended(const ended_traffic& row) noexcept {
  comm_state& all = comms();
  if (all.ended == nullptr)
    all.ended = static_cast<ended_traffic*>(std::malloc(most_ended * sizeof(ended_traffic)));
  if (all.ended == nullptr) std::abort();
  all.ended[all.ended_count++ % most_ended] = row;
}

/// Caller holds the traffic_lock; t is no longer in the list.
inline void destroy_traffic(traffic* t) noexcept {
  for (int peer = 0; peer < t->peers->size; ++peer)
    if (t->counts[peer].sent != 0) note_ended({t->name, t->peers->world_ranks[peer], t->own_rank, t->counts[peer].sent});
  if (t->synchronous != nullptr)
    for (synchronous_envelope* e : t->synchronous->envelopes)
      while (e != nullptr) delete std::exchange(e, e->next);
  delete t->synchronous;
  std::free(t->counts);
  delete t;
}

/// Call it when its communicator ends: no request or matched message names it.
inline void end_traffic(traffic& ended) noexcept {
  const traffic_hold hold;
  traffic** at = &comms().traffics;
  while (*at != &ended) at = &(*at)->next;
  *at = ended.next;
  destroy_traffic(&ended);
}

}  // namespace mana::object
