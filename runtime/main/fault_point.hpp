// Places at which a test can make a process die, to show what a crash there costs.
#pragma once

namespace mana::run {

/// MANA_FAULT=NAME or NAME@RANK in the environment of the lower half: the process (of that rank) is killed by SIGKILL at
/// the fault point of this name, as if its node had failed. Does nothing otherwise.
void fault_point(const char* name) noexcept;

}  // namespace mana::run
