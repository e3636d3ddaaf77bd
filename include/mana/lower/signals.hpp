// Signal numbers and per-thread slots that both halves and the stub agree on.
#pragma once

namespace mana::lower {

/// Parks the threads of the upper half. A real-time signal, so glibc's own (32, 33) and the usual SIGRTMIN+n are left
/// alone. Applications may ask for it without error, but never receive, block or wait for it.
inline constexpr int park_signal = 62;

/// Slots of thread_block::reserved that the loader, the traps and the stub use.
enum reserved_slot : unsigned {
  slot_vdso_frame = 0,        // stack frame of the stub's vDSO call that is under way; meaningless outside one
  slot_alternate_stack = 1,   // address, size (bytes), flags of sigaltstack: three slots; size 0: none
};

}  // namespace mana::lower
