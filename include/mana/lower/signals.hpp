// Signal numbers, and slots of the bridge and its thread blocks, that both halves and the stub agree on.
#pragma once
#include <cstdint>

namespace mana::lower {

/// Parks the threads of the upper half. libc keeps this signal to itself: programs can neither handle, block nor send it by
/// libc's functions, so all others are theirs. libc has all threads change their credentials by it: what does not come with
/// park_value is the program's (INV-71).
inline constexpr int park_signal = 33;
inline constexpr std::uint64_t park_value = 0x4b52'4150'414e'414d;     // "MANAPARK", of siginfo_t, with SI_QUEUE

/// libc's, by which it cancels threads. Its handler is there only from the first time on, which may come when threads have
/// parked already: so they hold it back whether it is handled or not. Bit n-1: signal n.
inline constexpr std::uint64_t cancel_signal = std::uint64_t{1} << 31;

/// SIGSYS is what system calls are trapped by. One with another number in si_errno is the program's (INV-71).
inline constexpr int trap_number = 0x4d41;      // what the filter returns beside SECCOMP_RET_TRAP

/// Slots of thread_block::reserved that the loader, the traps and the stub use.
enum reserved_slot : unsigned {
  slot_vdso_frame = 0,        // stack frame of the stub's vDSO call that is under way; meaningless outside one
  slot_alternate_stack = 1,   // of a parked thread: address, size (bytes), flags: three slots; size 0: none
  slot_interrupted = 4,       // of a thread that the park signal parked: address of its ucontext_t; else 0
  slot_parked_epoch = 5,      // bridge::release_epoch when the thread parked: only until that changes does "parked" hold
  slot_thread_time = 6,       // of the processor: what the program's is ahead of the kernel's; ns, then the system's part, us
  slot_thread_used = 8,       // of a parked thread: what the program's shows; in the same form
  slot_look_order = 10,       // of a parked thread: see parked.hpp; 4 bytes. Behind it 4 bytes: 1: the program blocks SIGSYS
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
  slot_parked_turns = 12,     // see parked.hpp
  slot_thread_looks = 13,     // as slot_thread_parks, called on a parked thread that is to look at the signals that wait for it
  slot_trap_handler = 14,     // void (*)(int, siginfo_t*, void*) of the lower half: carries a trapped system call out
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
