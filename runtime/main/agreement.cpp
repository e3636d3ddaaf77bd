#include "agreement.hpp"

#include "../lower/life.hpp"
#include "../lower/own_state.hpp"

#include <mpi.h>

#include <cstdlib>

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

struct place {
  MPI_Comm world = real_mpi::own().world;
  int rank = 0, size = 1;
  place() {
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &size);
  }
};

/// out: lowest rank that failed, or the number of ranks
int first_failed(const place& here, bool failed) {
  const int mine = failed ? here.rank : here.size;
  int first = here.size;
  PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, here.world);
  return first;
}

std::string text_of(const place& here, int from, std::string text) {
  int bytes = static_cast<int>(text.size());
  PMPI_Bcast(&bytes, 1, MPI_INT, from, here.world);
  text.resize(static_cast<std::size_t>(bytes));
  PMPI_Bcast(text.data(), bytes, MPI_BYTE, from, here.world);
  return text;
}

int status_of(const place& here, int from, const std::optional<start_failure>& failure) {
  int status = failure ? static_cast<int>(failure->status()) : 0;
  PMPI_Bcast(&status, 1, MPI_INT, from, here.world);
  return status;
}

}  // namespace

std::optional<shared_failure> try_together(const std::function<void()>& step) {
  const std::optional<start_failure> failure = try_step(step);
  const place here;
  const int first = first_failed(here, failure.has_value());
  if (first == here.size) return std::nullopt;
  const auto status = static_cast<exit_status>(status_of(here, first, failure));
  return shared_failure{first, status, text_of(here, first, failure ? failure->what() : "")};
}

void together(const std::function<void()>& step) {
  const std::optional<start_failure> failure = try_step(step);
  const place here;
  const int first = first_failed(here, failure.has_value());
  if (first == here.size) return;
  const int status = status_of(here, first, failure);
  if (here.rank == first)
    say(failure->text() +
        (failure->who() == met_by::one && here.size > 1 ? " (rank " + std::to_string(here.rank) + ")" : ""));
  real_mpi::finish();
  std::_Exit(status);
}

std::string from_first(std::string text) { return text_of(place(), 0, std::move(text)); }

}  // namespace mana::run
