// What a program may change of its process and a restart does not bring: whoever restarts it, and the new launcher, say what it is.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace mana::process_state {

/// As the launcher gave them: users, capabilities, namespaces, the root directory.
void note_given_surroundings();

/// What is otherwise by now, in words; and filters of system calls that the program has installed on one of its threads.
std::vector<std::string> unkept(std::span<const int> threads);

/// Number of a line of /proc/PID/status, decimal; 0: there is none.
unsigned long number_in_status(const std::string& status, const std::string& name);

}  // namespace mana::process_state
