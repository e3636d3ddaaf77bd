// Messages between the members of a group of ranks, by the live MPI.
#pragma once
#include <runtime/redundancy/transport.hpp>

#include <cstdint>
#include <vector>

namespace mana::job {

/// Used only on the thread that may call MPI, while the program stands or before it is restored. While it stands its
/// wrappers may wait on the runtime's communicator, with any tag (two leaders of MPI_Intercomm_create): these messages
/// have one of their own. Before a restart, where there may be none, nobody else sends.
class mpi_transport final : public redundancy::transport {
 public:
  /// in:     ranks  of the world, by member
  explicit mpi_transport(std::vector<std::uint32_t> ranks) : ranks_(std::move(ranks)) {}

  /// errors: std::runtime_error with the words of MPI. The members are out of step then: no exchange may follow
  void exchange(std::span<const redundancy::outgoing> out, std::span<const redundancy::incoming> in) override;

 private:
  std::vector<std::uint32_t> ranks_;
};

}  // namespace mana::job
