// Properties of its process that a program may change and a restart does not restore: the user who restarts it and the
// new launcher decide them.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace mana::process_state {

/// Notes the launcher's values: users, capabilities, namespaces, the root directory.
void note_given_surroundings();

/// Properties that have changed, as text. Also filters of system calls that the program has installed on one of these
/// threads.
std::vector<std::string> unkept(std::span<const int> threads);

/// Number in a line of /proc/PID/status, decimal; 0: no such line.
unsigned long number_in_status(const std::string& status, const std::string& name);

}  // namespace mana::process_state
