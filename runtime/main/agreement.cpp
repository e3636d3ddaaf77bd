#include "agreement.hpp"

#include "../lower/life.hpp"
#include "../lower/own_state.hpp"

#include <mpi.h>

#include <cstdlib>
#include <optional>

namespace mana::run {

namespace {

std::optional<start_failure> try_step(const std::function<void()>& step) {
  try {
    step();
    return std::nullopt;
  } catch (const start_failure& failure) {
    return failure;
  } catch (const std::exception& error) {
    return start_failure(exit_status::internal, error.what());
  }
}

}  // namespace

void together(const std::function<void()>& step) {
  const std::optional<start_failure> failure = try_step(step);
  const MPI_Comm world = real_mpi::own().world;
  int rank = 0, size = 1;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &size);
  const int mine = failure ? rank : size;
  int first = size;
  PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world);
  if (first == size) return;

  int status = failure ? static_cast<int>(failure->status()) : 0;
  PMPI_Bcast(&status, 1, MPI_INT, first, world);
  if (rank == first)
    say(failure->text() + (failure->who() == met_by::one && size > 1 ? " (rank " + std::to_string(rank) + ")" : ""));
  real_mpi::finish();
  std::_Exit(status);
}

}  // namespace mana::run
