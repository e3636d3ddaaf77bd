// Processes that the program has started, which are not in a checkpoint.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace mana::process_state {

struct child { int pid = 0; std::string command; bool ended = false; };

/// cost: one call if no child exists
std::vector<child> children();

/// The children of the program, without those of the live MPI.
std::vector<child> children_of_program();
/// True if a thread of the program was parked in a call that waits for a child process. Precondition: every thread
/// except the one that runs the checkpoint is parked.
bool waits_for_child() noexcept;
void these_are_the_mpis(const std::set<int>& pids);

}  // namespace mana::process_state
