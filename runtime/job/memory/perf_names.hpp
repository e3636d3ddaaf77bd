// Names for perf, if the user gives --perf-map.
#pragma once

namespace mana::job {

/// Writes /tmp/perf-PID.map with the functions of the objects that the upper half has loaded by now. perf can read the
/// symbols of memory that is mapped from a file. After a restart that memory is anonymous, and only the map has its
/// names. If the map cannot be written, the job's log says so.
void name_functions_for_perf() noexcept;

}  // namespace mana::job
