// The communicators that are never freed, and state of all communicators.
#pragma once
#include <mana/object/comm/descriptor.hpp>
#include <mana/object/comm/inbox.hpp>

#include <array>
#include <atomic>

namespace mana::object {

/// A communicator that is never freed.
struct lasting_comm : vid::entry<kind::comm> {
  constexpr lasting_comm() noexcept { references = 1; }
};

struct comm_state {
  lasting_comm world, self;                 // the predefined communicators
  lasting_comm hidden;                      // over all ranks, for the wrappers' own messages
  // a duplicate of the world for partitioned messages, made if the live MPI is asked to have one
  lasting_comm partitioned;
  std::atomic<std::uint64_t> next_context{1};

  traffic* traffics = nullptr;         // of all communicators on which messages can still come
  // ended_traffic[most_ended], a ring; nullptr: no communicator that ended had sent messages
  ended_traffic* ended = nullptr;
  std::uint64_t ended_count = 0;            // since the last drain
  std::atomic_flag traffic_lock = ATOMIC_FLAG_INIT;     // held to change the three members above

  object::inbox inbox;
  std::atomic_flag inbox_lock = ATOMIC_FLAG_INIT;   // taken only while the inbox is not empty

  int most_neighbours = 0;                  // the most neighbours that a rank of any communicator had
  lane_list* ended_lanes = nullptr;    // of communicators that ended at a restart

  /// All communicators without an id.
  std::array<lasting_comm*, 4> lasting() noexcept { return {&world, &self, &hidden, &partitioned}; }
};

inline comm_state the_comms;
inline comm_state& comms() noexcept { return the_comms; }

/// Calls act(inbox), one thread at a time; does nothing if the inbox is empty.
template <class Do>
inline void with_inbox(Do&& act) noexcept {
  comm_state& all = comms();
  if (all.inbox.empty()) [[likely]] return;
  while (all.inbox_lock.test_and_set(std::memory_order_acquire)) {}
  act(all.inbox);
  all.inbox_lock.clear(std::memory_order_release);
}

}  // namespace mana::object
