// Where persistent collectives run. A lane is a duplicate of a communicator in the lower half, with a clock of its own.
// One persistent collective at a time exists on it. The standard orders its starts with no other call, and neither does
// the lane. A start is a non-blocking collective of the live MPI.
#pragma once
#include <mana/object/comm/descriptor.hpp>

namespace mana::object {

struct lane {
  mana::real<kind::comm> real{};   // duplicate of the communicator in the live lower half; empty: given up
  vid::group_clock* clock = nullptr;    // counts the starts on it
  bool is_taken = false;           // by a request of this rank
  lane* next = nullptr;
};

/// INV-26 the members of a communicator have equally many lanes, in the same order of creation. If several members have
/// taken a lane, they have taken it for the same collective.
/// Because: the initialisation, which is collective, makes a lane, or chooses one that is free on all members. A lane
/// ends where all members agree. A rank that frees its request, which is local, changes only is_taken.
struct lane_list {
  lane* first = nullptr;
  std::uint32_t count = 0;
  std::uint32_t taken = 0;         // by requests of this rank
  bool is_kept = false;            // the program has freed the communicator
  lane_list* next_ended = nullptr;
  object::topology* topology = nullptr;   // owned; of a communicator that no longer needs it, or has ended
  traffic* messages = nullptr;         // owned; of a communicator that ended with the list, at a restart
};

/// A persistent collective: the arguments of its initialisation. Owned by its request, which keeps the objects that it
/// names.
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
