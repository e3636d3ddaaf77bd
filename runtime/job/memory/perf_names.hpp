// Names for perf, where they are asked for (--perf-map).
#pragma once

namespace mana::job {

/// Writes /tmp/perf-PID.map with the functions of what the upper half has loaded by now. perf finds by itself what is
/// mapped from files; after a restart the same is anonymous memory, and only the map says what it is. A map that cannot
/// be written is said in the job's log.
void name_functions_for_perf() noexcept;

}  // namespace mana::job
