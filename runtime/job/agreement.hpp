// A failure that some ranks meet during a restart is known to all of them.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mana::job {

/// A failure of the lowest rank that met one.
struct shared_failure {
  int rank = 0;
  exit_status status = exit_status::internal;
  std::string text;                  // of start_failure::what()
};

/// Runs one step of the restart on this rank, then learns how the others fared. Collective over the runtime's world;
/// MPI runs. Exceptions other than start_failure become exit_status::internal.
/// out: nothing if all went well
std::optional<shared_failure> try_together(const std::function<void()>& step);

/// The same, but when the step threw anywhere, the lowest such rank says why, and all end MPI and exit with its status.
void together(const std::function<void()>& step);

/// What rank 0 has, on all ranks. Collective.
std::string from_first(std::string text);

/// What each rank has, on all ranks, by rank. Collective.
std::vector<std::string> from_all(const std::string& text);

}  // namespace mana::job
