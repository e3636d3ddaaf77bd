// Locks of files: flock(), record locks of the process, and those of open files.
#pragma once
#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Adds the locks, and the lease, that were taken by this open file.
void describe_locks(int fd, nlohmann::json& row);

/// Takes them again, at the descriptor's number. Last of all: a process loses its record locks of a file whenever it
/// closes any descriptor of it. An inherited file may be locked for all ranks, by who started them: there it is no
/// error if another holds the lock.
/// errors: descriptor_error if another process holds one
void lock_again(const nlohmann::json& row);

}  // namespace mana::descriptors
