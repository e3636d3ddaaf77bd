// The control of this rank's checkpoints, and how it is joined to the rest of the lower half.
#pragma once
#include <rank_control.hpp>

namespace mana::run {

control::rank_control& control_of_job() noexcept;

/// Starts the agent, and the process's coordinator or relay. Collective over the runtime's world.
void begin_control();

}  // namespace mana::run
