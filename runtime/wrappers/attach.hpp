// How a library of the upper half meets the lower half, when the dynamic linker loads it: that of an MPI as well as the one for
// programs without.
#pragma once
#include <runtime/wrappers/preload.hpp>

#include <mana/call/own_stack.hpp>
#include <mana/lower/cross.hpp>
#include <mana/lower/presence.hpp>

#include <unistd.h>

namespace mana::wrappers {

/// out: false: there is no lower half in this process, which natively has not been found back to either
inline bool comes_to_lower_half(int count, char** arguments, char** environment) noexcept {
  if (!lower::has_lower_half()) {
    find_back(count, arguments, environment);
    return false;
  }
  leave_environment(environment);
  if (environ != environment) leave_environment(environ);
  return true;
}

/// in: entry  lives as long as the process     root  bridge::upper_root
inline void make_known(const lower::upper_entry& entry, std::uint64_t root) noexcept {
  call::make_own_stack();        // who needs it says if there is no memory for it
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.attach(&entry, root); });
}

}  // namespace mana::wrappers
