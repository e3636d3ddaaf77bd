// The bridge's part that the loader fills, and the stub.
#pragma once
#include <cstdint>

namespace mana::split {

/// Fills what the live kernel decides: has_fsgsbase and the vDSO table, by which clocks are the kernel's. Needs the stub in its
/// place.
void refresh_bridge() noexcept;

/// Addresses in the mapped stub; the stub of an image may be of another build, so they are looked up.
struct stub_symbols {
  std::uintptr_t signal_trampoline, park_trampoline, request_trampoline, restore_rt, call, reported_call;
  std::uintptr_t timed_call, program_clock_gettime, trap_trampoline, lower_handler;     // 0 in a stub of an older version
};
const stub_symbols& stub() noexcept;

}  // namespace mana::split
