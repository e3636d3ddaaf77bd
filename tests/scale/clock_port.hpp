// What the simulated MPI asks the clock, and tells it: as the wrappers do, through the services of the boundary.
#pragma once
#include <mana/clock/policy.hpp>

#include <vector>

namespace clock_scale {

class clock_port {
 public:
  // Of a rank in which a checkpoint is pending.
  /// out: go, or hold: the rank is asked again by mpi::ask_again()
  virtual mana::clock::verdict start(int rank, const mana::clock::collective& next) = 0;
  /// peers: world ranks; empty: anyone
  virtual void wait_begins(int rank, const std::vector<int>& peers) = 0;
  virtual void wait_ends(int rank) = 0;

  /// Always: the rank has started its count-th collective of this group.
  virtual void started(int rank, std::uint32_t group, std::uint32_t count) = 0;

 protected:
  ~clock_port() = default;
};

}  // namespace clock_scale
