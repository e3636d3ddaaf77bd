// Ordered lists of world ranks, and the clocks of the groups they make up. Both are interned and immortal: requests and
// communicators point to them without counting references, and a thousand duplicates share one.
#pragma once
#include <mana/vid/group_clock.hpp>

namespace mana::vid {

/// Members of a communicator or of a group of processes, in rank order.
struct rank_map {
  int size;
  int own_rank;               // of this process; neutral::undefined when it is no member
  const int* world_ranks;     // int[size]
  group_clock* clock;         // of the same set in any order
  rank_map* next;             // intern list
};

/// The one rank_map of this list; made on first use.
/// in: world_ranks  int[n], world ranks in rank order, n >= 0      cost: O(n) and a hash look-up; allocates
const rank_map* intern_ranks(const int* world_ranks, int n);

/// First of the append-only list of all of them.
const rank_map* first_rank_map() noexcept;

/// Clock of the set of all that are in either list. cost: as intern_ranks
group_clock* clock_of_both(const rank_map& a, const rank_map& b);

/// Clock of a single sequence of collectives over the members of `everyone`, for as long as the process lives.
/// key: the same on all members, different for different sequences
group_clock* keyed_clock(const group_clock& everyone, std::uint64_t key);

/// Clock of one communicator over the members of `everyone`, from zero. The collectives of two may be under way at once,
/// so that one count for both would not say which. lineage: of descriptor<kind::comm>
group_clock* communicator_clock(const group_clock& everyone, std::uint64_t lineage);
/// Its communicator is freed: after the next checkpoint the clock may become another's. nullptr: nothing happens
void retire(group_clock* clock);

/// First clock of the append-only list that the agent walks; nullptr before MPI_Init.
group_clock* first_clock() noexcept;

}  // namespace mana::vid
