// Signal numbers, and slots of the bridge and its thread blocks, that both halves and the stub agree on.
#pragma once
#include <cstdint>

namespace mana::lower {

/// Parks the threads of the upper half. A real-time signal, so glibc's own (32, 33) and the usual SIGRTMIN+n are left
/// alone. Applications may ask for it without error, but never receive, block or wait for it.
inline constexpr int park_signal = 62;

/// Slots of thread_block::reserved that the loader, the traps and the stub use.
enum reserved_slot : unsigned {
  slot_vdso_frame = 0,        // stack frame of the stub's vDSO call that is under way; meaningless outside one
  slot_alternate_stack = 1,   // of a parked thread: address, size (bytes), flags: three slots; size 0: none
  slot_interrupted = 4,       // of a thread that the park signal parked: address of its ucontext_t; else 0
  slot_parked_epoch = 5,      // bridge::release_epoch when the thread parked: only until that changes does "parked" hold
};

/// Slots of bridge::reserved, of the live lower half.
enum bridge_slot : unsigned {
  slot_requests = 0,          // eventfd: whoever writes request_amount() to it has this rank ask for a checkpoint
  slot_stop_signals = 1,      // bit n-1: signal n asks for a checkpoint that ends the job
  slot_our_signals = 2,       // bit n-1: signal n is ours
  slot_request_number = 3,    // of the checkpoint that was asked for last; 0: none in this process
  slot_stage = 4,             // control::stage; 0 in images of versions that had none: between MPI_Init and MPI_Finalize
  slot_thread_parks = 8,      // void (*)(thread_block*) of the lower half, called before a thread is parked; 0: none
  slot_thread_continues = 9,  // the same, in a new process, on the new thread before it enters the upper half
  slot_inventory = 16,        // and those behind it: see inventory.hpp
};

/// What is added to slot_requests' descriptor.
constexpr std::uint64_t request_amount(bool stop) noexcept { return stop ? std::uint64_t{1} << 32 : 1; }
constexpr bool asks_to_stop(std::uint64_t sum) noexcept { return sum >= request_amount(true); }

}  // namespace mana::lower
