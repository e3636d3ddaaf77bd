// The window stays free of what the MPI's libraries map.
#pragma once

namespace mana::job {

/// Before MPI starts, and after the program's environment was read.
void keep_window_free() noexcept;

}  // namespace mana::job
