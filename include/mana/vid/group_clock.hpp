// A collective clock counts the collectives that this rank has started in one sequence. All members start a sequence's
// collectives in the same order. Only one thread at a time starts a collective on a clock. These sequences have clocks:
//   - the blocking collectives of all communicators over one set of world ranks;
//   - the non-blocking collectives of one communicator, which the standard orders with no others;
//   - all collectives of one communicator, if several threads may be in MPI at once.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::vid {

/// ggid: hash of the sorted world ranks; check: a second, independent hash. The pair is the clock's name everywhere.
/// Two groups that collide in ggid differ in check, so a collision does no harm. If you change this struct, raise
/// lower::layout_major: the agent, which reads clocks, belongs to the lower half.
struct group_clock {
  std::uint64_t ggid;
  std::uint64_t check;
  std::atomic<std::uint64_t> seq;   // collectives started by this rank; the same on all members at a recovery line
  group_clock* next;                // list of all clocks, append-only: the agent walks it while ranks run
  std::uint32_t size;               // members
  std::uint32_t made;               // communicators that MPI_Comm_create_group made, counted by this clock
  const int* members;               // int[size], world ranks, ascending
  /// INV-25 a communicator's clock begins again at zero at each checkpoint, on all members: when all ranks are parked,
  /// all members' counts are equal. So counts of a communicator that only some members have freed end there.
  bool is_communicators;
  group_clock* next_retired;        // list of those whose communicators were freed
};

/// The agent calls it when all threads of all ranks are parked (INV-25).
inline void begin_anew(group_clock* first) noexcept {
  for (group_clock* c = first; c != nullptr; c = c->next)
    if (c->is_communicators) c->seq.store(0);
}

}  // namespace mana::vid
