// What the simulated MPI asks the clock, and tells it: as the wrappers do, through the services of the boundary.
#pragma once
#include "random.hpp"

#include <mana/clock/policy.hpp>

#include <algorithm>

namespace clock_scale {

using member_list = decltype(mana::clock::group_count::members);

inline member_list make_members(const std::vector<int>& ascending) { return ascending; }

class clock_port {
 public:
  /// A checkpoint is pending in this rank, so its starts ask, and its waits are told.
  virtual bool quiescing(int rank) const = 0;
  /// out: go, or hold: the rank is asked again by mpi::ask_again()
  virtual mana::clock::verdict start(int rank, const mana::clock::collective& next) = 0;
  /// The rank has started its count-th collective of this group.
  virtual void started(int rank, std::uint32_t group, std::uint32_t count) = 0;
  /// peers: world ranks; empty: anyone
  virtual void wait_begins(int rank, const std::vector<int>& peers) = 0;
  virtual void wait_ends(int rank) = 0;

 protected:
  ~clock_port() = default;
};

}  // namespace clock_scale
