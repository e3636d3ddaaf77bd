// The part of the bridge that the loader fills, and the stub.
#pragma once
#include <cstdint>

namespace mana::split {

/// Fills the members that depend on the live kernel: has_fsgsbase and the vDSO table, which then reads the kernel's
/// clocks. The stub must be mapped.
void refresh_bridge() noexcept;

/// Addresses in the mapped stub. They are looked up, since the stub of an image may be of another build.
struct stub_symbols {
  std::uintptr_t signal_trampoline, park_trampoline, request_trampoline, restore_rt, call, reported_call;
  std::uintptr_t timed_call, program_clock_gettime, trap_trampoline, lower_handler;     // 0 in a stub of an older version
};
const stub_symbols& stub() noexcept;

}  // namespace mana::split
