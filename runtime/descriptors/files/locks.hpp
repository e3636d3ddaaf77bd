// Locks of files: flock(), record locks of the process, and locks of open files.
#pragma once
#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// Adds the locks and the lease of this open file.
void describe_locks(int fd, nlohmann::json& row);

/// Takes the locks again, at the descriptor's number. Call last: a process loses its record locks of a file whenever it
/// closes any descriptor of the file. The process that started the ranks may hold a lock of an inherited file for all
/// of them: for such a file, a lock of another process is no error.
/// errors: descriptor_error if another process holds a lock
void lock_again(const nlohmann::json& row);

}  // namespace mana::descriptors
