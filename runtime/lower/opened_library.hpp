// A live MPI that is no library of the lower half's program: its functions are looked up when the process starts.
#pragma once
#include <cstddef>

namespace mana::lower {

/// Finds the library, and its functions. Defined in the family's folder. Runs before main(), where the dynamic linker
/// finds other families' libraries. Ends the process if there is no library.
/// in: names      const char*[count]
/// out: functions void*[count]; nullptr: the library does not have the function of this name
void open_library(const char* const* names, void** functions, std::size_t count);

}  // namespace mana::lower
