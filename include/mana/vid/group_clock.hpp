// A collective clock: how many collectives this rank has started in one sequence of them. One per set of world ranks,
// shared by every communicator over that set; where several threads may be in MPI at once, one per communicator
// (rank_map.hpp, keyed_clock): so one thread at a time starts a collective on a clock, as the standard has it for each
// communicator. Lives as long as the process image.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::vid {

/// ggid: hash of the sorted world ranks; check: a second, independent hash. The pair is the group's name everywhere
/// (two groups that collide in ggid differ in check), so a collision costs nothing and confuses nobody.
struct group_clock {
  std::uint64_t ggid;
  std::uint64_t check;
  std::atomic<std::uint64_t> seq;   // collectives started by this rank; the same on all members at a recovery line
  group_clock* next;                // list of all clocks, append-only: the agent walks it while ranks run
  std::uint32_t size;               // members
  std::uint32_t made;               // communicators that MPI_Comm_create_group made, counted by this clock
  const int* members;               // int[size], world ranks, ascending
};

}  // namespace mana::vid
