// The names of the upper half's functions in the form that perf reads: /tmp/perf-PID.map.
#pragma once
#include <runtime/symbols/memory_view.hpp>

namespace mana::symbols {

/// A line for each function of the objects that the upper half of `memory` has loaded, and of the stub: address, bytes,
/// name. The first two are hexadecimal. Ascending, one name for each address.
/// errors: memory_error as upper_objects()
std::string perf_map(const memory_view& memory);

/// Writes the map of this process to /tmp/perf-PID.map. Replaces a map of an earlier process.
/// errors: memory_error
void write_perf_map();

}  // namespace mana::symbols
