// A collective clock: how many collectives this rank has started in one sequence of them, which is ordered alike on all
// members. One per set of world ranks, for the blocking collectives of every communicator over that set; one per
// communicator for its non-blocking ones, which the standard orders with no others; and where several threads may be in
// MPI at once, one per communicator for all of its collectives. So one thread at a time starts a collective on a clock.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::vid {

/// ggid: hash of the sorted world ranks; check: a second, independent hash. The pair is the clock's name everywhere
/// (two groups that collide in ggid differ in check), so a collision costs nothing and confuses nobody. A change bumps
/// lower::layout_major: the agent, which reads clocks, is of the lower half.
struct group_clock {
  std::uint64_t ggid;
  std::uint64_t check;
  std::atomic<std::uint64_t> seq;   // collectives started by this rank; the same on all members at a recovery line
  group_clock* next;                // list of all clocks, append-only: the agent walks it while ranks run
  std::uint32_t size;               // members
  std::uint32_t made;               // communicators that MPI_Comm_create_group made, counted by this clock
  const int* members;               // int[size], world ranks, ascending
  /// INV-25 a communicator's clock begins anew at each checkpoint, on all members: when all ranks are parked, where counts
  /// are equal. So what was counted for a communicator that some members have freed, and some have yet to free, ends.
  bool is_communicators;
  group_clock* next_retired;        // list of those whose communicators were freed
};

/// The agent's, when all threads of all ranks are parked (INV-25).
inline void begin_anew(group_clock* first) noexcept {
  for (group_clock* c = first; c != nullptr; c = c->next)
    if (c->is_communicators) c->seq.store(0);
}

}  // namespace mana::vid
