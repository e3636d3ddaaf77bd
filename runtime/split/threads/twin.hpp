// Life of an upper half's thread. Its twin in the lower half, made by the lower half's pthread_create, enters the upper
// half and comes back when the thread ends. Thus every thread has both halves' thread-local storage.
#pragma once
#include <runtime/split/call/trap.hpp>

namespace mana::split {

enum class leave_reason { thread_ends, process_ends };

/// The data of a twin on its own, lower-half stack; thread_block::lower_private points to it.
struct twin {
  lower::context back{};            // where the thread goes when it leaves the upper half
  leave_reason why = leave_reason::thread_ends;
  int status = 0;                   // of exit or exit_group
  signal_set mask = 0;              // of the upper half when it left
  long robust_head = 0;             // the lower libc's list, for the twin's own end
  long robust_length = 0;
};

/// A free block, zeroed, in state `exiting` until its thread is known.     out: nullptr: max_threads reached
lower::thread_block* new_block() noexcept;

/// Binds the calling thread of the lower half to `block`: thread pointer, id, lists, block register.
void adopt(lower::thread_block& block, twin& self) noexcept;

/// Publishes a thread that has adopted its block: from now on it can be parked.
void publish(lower::thread_block& block) noexcept;

/// Enters the upper half with the state of a signal frame. Call it with all signals blocked and the lower half's thread
/// pointer.
/// in: frame  from make_entry_frame
[[noreturn]] void enter_upper_half(void* frame, std::uint64_t thread_pointer) noexcept;

/// A kernel's signal frame that continues at `from`, with rax 0 and the stack `stack` (0: the same).
struct entry_frame;
inline constexpr std::size_t entry_frame_bytes = 2048;
void* make_entry_frame(void* memory, const ucontext_t& from, std::uint64_t stack) noexcept;
/// Prepares the frame for a copy to this address.
void move_entry_frame(void* frame, std::uintptr_t to) noexcept;

/// Called in a trap when a thread is about to end. If the thread runs checkpoints, another living thread takes over,
/// even if a checkpoint already waits.
void pass_on_checkpoints(lower::thread_block& self) noexcept;

/// In a trap of the owner process: leaves the upper half permanently, to the twin's stack.
[[noreturn]] void leave_upper_half(trap& t, leave_reason why) noexcept;

/// Runs on the twin's stack after the thread left the upper half. Returns when only the thread ends; its block is then
/// free.
void after_upper_half(lower::thread_block& block, twin& self) noexcept;

/// The initial thread's end: the process lives until its last thread ends.
[[noreturn]] void rest_forever() noexcept;

/// Creates a detached thread of the lower half and waits until `body` has called started().     out: 0 or -errno
struct birth {
  void (*body)(birth&);               // returns when the thread ends
  lower::thread_block* block;
  const trap* call = nullptr;         // of clone; valid until started()
  std::atomic<std::uint32_t> begun{0};
  std::int32_t tid = 0;               // set by started()
  void started() noexcept;
};
long create_twin(birth& b) noexcept;

}  // namespace mana::split
