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
  slot_thread_time = 6,       // of the processor: what the program's is ahead of the kernel's; ns, then the system's part, us
  slot_thread_used = 8,       // of a parked thread: what the program's shows; in the same form
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
  slot_end_signals = 10,      // bit n-1: when a handler of the program gets signal n from outside, slot_requests is told
  slot_last_end_signal = 11,  // the last of them; 0: none
  slot_inventory = 16,        // and those behind it: see inventory.hpp
  slot_clock_gettime = 40,    // the live vDSO's, where the stub shows the program's clocks (program_clocks.hpp); 0: it does not
  slot_clock_offsets = 41,    // ns, signed: monotonic, raw, boottime
  slot_ticks_offset = 44,     // of times(), signed
  slot_process_time = 45,     // as slot_thread_time, of the process
  slot_lower_handler = 56,    // void (*)(int, siginfo_t*, void*): calls what the live MPI's libraries have for a signal
  slot_upper_functions = 57,  // upper_functions* of the wrapper library; 0: none
  slot_unbuffered = 58,       // bit n: the live MPI's start made this standard stream (its number) of its libc unbuffered
  slot_hidden_handlers = 59,  // 1: the lower half's handlers of signals wait for MPI_Init
};

/// What is added to slot_requests' descriptor: for a checkpoint, and where the program has been told to end.
constexpr std::uint64_t request_amount(bool stop) noexcept { return stop ? std::uint64_t{1} << 32 : 1; }
inline constexpr std::uint64_t told_to_end_amount = std::uint64_t{1} << 48;
constexpr bool asks(std::uint64_t sum) noexcept { return sum % told_to_end_amount != 0; }
constexpr bool asks_to_stop(std::uint64_t sum) noexcept { return sum % told_to_end_amount >= request_amount(true); }
constexpr bool tells_of_end(std::uint64_t sum) noexcept { return sum >= told_to_end_amount; }

/// Those that tell a program to end: from a terminal that is closed or at which somebody wants no more of it (HUP, INT,
/// QUIT), from a batch system or a launcher (TERM), from the kernel when processor time is up (XCPU). SIGKILL follows some of
/// them soon. All others come in the course of a program too, and tell nothing. Bit n-1: signal n.
inline constexpr std::uint64_t end_signals = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 14 | 1u << 23;

}  // namespace mana::lower
