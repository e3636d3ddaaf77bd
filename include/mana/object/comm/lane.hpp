// Where persistent collectives run. A lane is a duplicate of a communicator in the lower half, with a clock of its
// own, on which one persistent collective at a time exists. So its starts, which the standard orders with nothing
// else, are ordered with nothing else; and a start is a non-blocking collective of the live MPI.
#pragma once
#include <mana/object/comm/descriptor.hpp>

namespace mana::object {

struct lane {
  mana::real<kind::comm> real{};   // duplicate of the communicator in the live lower half; none: given up
  vid::group_clock* clock = nullptr;    // counts the starts on it
  bool is_taken = false;           // by a request of this rank
  lane* next = nullptr;
};

/// INV-26 the members of a communicator have equally many lanes, which came into being in the same order; and one that
/// is taken on several is taken for the same collective.
/// Because: a lane is made, or chosen among those that are free on all, by the initialisation, which is collective; it
/// is ended where all members agree. That a rank frees its request, which is local, changes nothing but is_taken.
struct lane_list {
  lane* first = nullptr;
  std::uint32_t count = 0;
  std::uint32_t taken = 0;         // by requests of this rank
  bool is_kept = false;            // the program has freed the communicator
  lane_list* next_ended = nullptr;
  object::topology* topology = nullptr;   // owned; of a communicator that needs it no longer, or has ended
  traffic* messages = nullptr;         // owned; of a communicator that has ended with the list, at a restart
};

/// A persistent collective: what its initialisation was told. Owned by its request, which keeps the objects that it names.
struct collective_plan {
  collective_plan() = default;
  collective_plan(const collective_plan&) = delete;
  collective_plan& operator=(const collective_plan&) = delete;
  virtual ~collective_plan() = default;

  /// The live MPI's non-blocking collective.      out: neutral error class
  virtual int start(real<kind::comm> comm, real<kind::request>* request) noexcept = 0;

  lane_list* lanes = nullptr;
  lane* on = nullptr;
};

}  // namespace mana::object
