#include <runtime/job/agreement.hpp>

#include <runtime/lower/life.hpp>
#include <runtime/lower/own_state.hpp>

#include <mpi.h>

#include <cstdlib>
#include <numeric>
#include <system_error>

namespace mana::job {

namespace {

std::optional<start_failure> try_step(const std::function<void()>& step) {
  try {
    step();
    return std::nullopt;
  } catch (const start_failure& failure) {
    return failure;
  } catch (const std::system_error& error) {
    return start_failure(exit_status::checkpoint_unreadable, error.what(),
                         "restart again; the checkpoint itself may be intact (mana verify DIR)");
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

/// out: the lowest rank that failed; the number of ranks if none failed
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

std::vector<std::string> from_all(const std::string& text) {
  const place here;
  const int bytes = static_cast<int>(text.size());
  const auto ranks = static_cast<std::size_t>(here.size);
  std::vector<int> counts(ranks), begins(ranks);
  PMPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, here.world);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + counts.back()), '\0');
  PMPI_Allgatherv(text.data(), bytes, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE, here.world);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    texts.push_back(all.substr(static_cast<std::size_t>(begins[rank]), static_cast<std::size_t>(counts[rank])));
  return texts;
}

}  // namespace mana::job
