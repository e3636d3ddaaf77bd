// Ordered lists of world ranks, and the clocks of their groups. Both are interned and immortal: requests and
// communicators point to them without counting references, and a thousand duplicates share one.
#pragma once
#include <mana/vid/group_clock.hpp>

namespace mana::vid {

/// Members of a communicator or of a group of processes, in rank order.
struct rank_map {
  int size;
  int own_rank;               // rank of this process; neutral::undefined if it is no member
  const int* world_ranks;     // int[size]
  group_clock* clock;         // of the same set of ranks, in any order
  rank_map* next;             // intern list
};

/// The only rank_map of this list; made on first use.
/// in: world_ranks  int[n], world ranks in rank order, n >= 0      cost: O(n) and a hash look-up; allocates
const rank_map* intern_ranks(const int* world_ranks, int n);

/// First rank_map of the append-only list of all of them.
const rank_map* first_rank_map() noexcept;

/// Clock of the union of both lists. cost: as intern_ranks
group_clock* clock_of_both(const rank_map& a, const rank_map& b);

/// Clock of a single sequence of collectives over the members of `everyone`, for the life of the process.
/// key: the same on all members, different for different sequences
group_clock* keyed_clock(const group_clock& everyone, std::uint64_t key);

/// Clock of one communicator over the members of `everyone`, from zero. Collectives of two communicators may be under
/// way at once, so one count for both would be ambiguous. lineage: of descriptor<kind::comm>
group_clock* communicator_clock(const group_clock& everyone, std::uint64_t lineage);
/// Call it when the communicator is freed: after the next checkpoint another communicator may use the clock. nullptr:
/// no effect
void retire(group_clock* clock);

/// First clock of the append-only list that the agent walks; nullptr before MPI_Init.
group_clock* first_clock() noexcept;

}  // namespace mana::vid
