// The bridge's part that the loader fills, and the stub.
#pragma once
#include <cstdint>

namespace mana::split {

/// Fills what the live kernel decides: has_fsgsbase and the vDSO table. Needs the stub in its place.
void refresh_bridge() noexcept;

/// Addresses in the mapped stub; the stub of an image may be of another build, so they are looked up.
struct stub_symbols {
  std::uintptr_t signal_trampoline, park_trampoline, request_trampoline, restore_rt, call, reported_call;
};
const stub_symbols& stub() noexcept;

}  // namespace mana::split
