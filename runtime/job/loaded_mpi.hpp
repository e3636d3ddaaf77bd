// MPI libraries that the program has loaded beside mana's wrappers. A script or an interpreter loads its MPI while it runs: when
// `mana run` chose the wrappers, nothing named that MPI.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <optional>

namespace mana::job {

/// INV-78: why a program that runs as one without MPI cannot be saved: it has loaded an MPI. Its MPI_Init is refused by the
/// library libmana-none.so.      errors: image_error (io) if /proc/self/maps cannot be read
std::optional<start_failure> mpi_without_wrappers();

/// INV-131 a program that has loaded another MPI than the one that its wrappers stand for does not start MPI. It would
/// give that MPI's handles and constants to the wrappers.
/// out: why it cannot start MPI; nothing if /proc/self/maps cannot be read
std::optional<start_failure> mpi_of_other_wrappers();

}  // namespace mana::job
