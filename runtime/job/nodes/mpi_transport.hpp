// Messages between the members of a group of ranks, over the live MPI.
#pragma once
#include <runtime/redundancy/transport.hpp>

#include <cstdint>
#include <vector>

namespace mana::job {

/// Used only on the thread that may call MPI, while the program is stopped or before it is restored. While the program
/// is stopped, its wrappers may wait on the runtime's communicator, with any tag (two leaders of MPI_Intercomm_create).
/// So these messages have a communicator of their own. Before a restart that communicator may not exist, but then no
/// other code sends.
class mpi_transport final : public redundancy::transport {
 public:
  /// in: ranks  in the world, by member
  explicit mpi_transport(std::vector<std::uint32_t> ranks) : ranks_(std::move(ranks)) {}

  /// errors: std::runtime_error with MPI's error text. The members are then out of step: no exchange may follow.
  void exchange(std::span<const redundancy::outgoing> out, std::span<const redundancy::incoming> in) override;

 private:
  std::vector<std::uint32_t> ranks_;
};

}  // namespace mana::job
