// The program's libc and dynamic linker, for calls from the lower half (upper_functions.hpp).
#pragma once
#include <mana/lower/cross.hpp>
#include <mana/lower/signals.hpp>
#include <mana/lower/upper_functions.hpp>
#include <runtime/split/window/raw.hpp>

namespace mana::job {

/// null: no program yet, or a program without the wrapper library
inline const lower::upper_functions* program_functions() noexcept {
  return lower::the_bridge().functions;
}

/// True if this thread belongs to the program and runs code of the lower half. The kernel tells each thread's block;
/// other threads have none.
inline bool came_by_crossing() noexcept {
  const std::uintptr_t block = arch::read_block_register(false);
  return block >= lower::threads_address && block < lower::stub_address && lower::this_thread()->in_lower != 0;
}

/// Calls use(functions) under the program's thread pointer.  out: false if this thread cannot call them
template <class Use>
bool with_program(Use&& use) noexcept {
  if (!came_by_crossing() || program_functions() == nullptr) return false;
  lower::cross_up([&] { use(*program_functions()); });
  return true;
}

}  // namespace mana::job
