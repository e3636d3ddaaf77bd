// Whether there is a lower half in this process at all: a wrapper library may have been loaded into one that runs
// without mana.
#pragma once
#include <mana/lower/abi.hpp>

#include <sys/auxv.h>

namespace mana::lower {

/// The upper half's auxiliary vector names the stub as its vDSO.
inline bool has_lower_half() noexcept {
#if defined(MANA_ONE_PROCESS)
  return true;
#else
  return ::getauxval(AT_SYSINFO_EHDR) == stub_address;
#endif
}

}  // namespace mana::lower
