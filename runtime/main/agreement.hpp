// A failure that some ranks meet during a restart ends all of them alike, with one message.
#pragma once
#include "start_failure.hpp"

#include <functional>

namespace mana::run {

/// Runs one step of the restart on this rank, then learns how the others fared. Collective over the runtime's world;
/// MPI runs. When the step threw anywhere, the lowest such rank says why, and all end MPI and exit with its status.
/// Exceptions other than start_failure become exit_status::internal.
void together(const std::function<void()>& step);

}  // namespace mana::run
