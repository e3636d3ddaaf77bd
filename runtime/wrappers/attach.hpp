// Connects a library of the upper half with the lower half, when the dynamic linker loads it: an MPI's library, or the
// library for programs without MPI.
#pragma once
#include <runtime/wrappers/preload.hpp>

#include <mana/call/own_stack.hpp>
#include <mana/lower/cross.hpp>
#include <mana/lower/presence.hpp>

#include <unistd.h>

namespace mana::wrappers {

/// out: false: this process has no lower half, and find_back() has not started its program again under mana
inline bool comes_to_lower_half(int count, char** arguments, char** environment) noexcept {
  if (!lower::has_lower_half()) {
    find_back(count, arguments, environment);
    return false;
  }
  leave_environment(environment);
  if (environ != environment) leave_environment(environ);
  return true;
}

/// in: entry  must live as long as the process     root  bridge::upper_root
inline void make_known(const lower::upper_entry& entry, std::uint64_t root) noexcept {
  call::make_own_stack();        // if memory is missing, the stack's user reports it
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.attach(&entry, root); });
}

}  // namespace mana::wrappers
