// If a step of a restart fails on some ranks, all ranks learn of the failure.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mana::job {

/// The failure of the lowest rank that failed.
struct shared_failure {
  int rank = 0;
  exit_status status = exit_status::internal;
  std::string text;                  // of start_failure::what()
};

/// Runs one step of the restart on this rank, then learns how the step ended on the others. A refusal of the
/// system (std::system_error) becomes exit_status::checkpoint_unreadable, any other exception than start_failure
/// exit_status::internal. Collective over the runtime's world; MPI runs.
/// out: nothing if the step succeeded on all ranks
std::optional<shared_failure> try_together(const std::function<void()>& step);

/// As try_together(), but a failure ends the job: the lowest rank that failed prints why, and all ranks finalize MPI
/// and exit with its status.
void together(const std::function<void()>& step);

/// Copies rank 0's text to all ranks. Collective.
/// out: the text of rank 0
std::string from_first(std::string text);

/// Copies each rank's text to all ranks. Collective.
/// out: the texts, by rank
std::vector<std::string> from_all(const std::string& text);

}  // namespace mana::job
