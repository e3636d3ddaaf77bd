// A trapped system call of the upper half, and the functions that carry out such calls.
//
// INV-10 a trap runs with all signals blocked and the lower half's thread pointer, on the stack of the upper half. In
// the process that owns the window it may call libc and MPI. In a child (forked, or borrowing our memory by vfork) it
// makes raw system calls only: locks of other threads were copied in any state.
//
// It accesses memory behind its arguments through program_pointer (INV-72). Compiled without stack protector: the
// thread pointer changes within the handler.
#pragma once
#include <runtime/split/call/program_memory.hpp>

#include <runtime/split/window/raw.hpp>

#include <arch/registers.hpp>

#include <atomic>
#include <string_view>

namespace mana::split {

enum class process_role {
  owner,      // the process of the lower half
  forked,     // a child with its own copy of the memory
  borrowing,  // a child that runs in the owner's memory until it executes or exits
};

struct trap {
  ucontext_t* context;        // of the upper half, as it continues after the trap
  long number;
  lower::thread_block* self;
  std::uint64_t upper_fs;     // thread pointer to continue with
  process_role role;
  program_memory memory;

  long reg(int index) const noexcept { return arch::registers(*context)[index]; }
  void set_reg(int index, long value) noexcept { arch::registers(*context)[index] = value; }
  long arg(int i) const noexcept { return reg(arch::argument[i]); }
  void set_arg(int i, long value) noexcept { set_reg(arch::argument[i], value); }
  template <class T>
  program_pointer<T> pointer(int i) const noexcept {
    return {memory, static_cast<std::uintptr_t>(arg(i))};
  }
  /// The address of a mapping that exists or will be made.
  void* place(int i) const noexcept { return reinterpret_cast<void*>(arg(i)); }
  /// The call as the program made it.
  long carry_out() const noexcept { return raw_call(number, arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)); }
  signal_set& mask() noexcept { return *reinterpret_cast<signal_set*>(&context->uc_sigmask); }
};

/// A child that borrows the owner's memory also has its thread's block. Restores the block for the owner's thread,
/// before the child leaves that memory in a trap.
inline void leave_owners_block(trap& t) noexcept {
  t.self->in_lower = 0;
  --t.self->inside;
}
/// The call failed, and the child stays in that memory.
inline void enter_owners_block(trap& t) noexcept {
  ++t.self->inside;
  t.self->in_lower = 1;
}

/// Writes a warning to standard error, once.
inline void warn_once(std::atomic<bool>& said, std::string_view text) noexcept {
  if (!said.exchange(true)) raw_call(SYS_write, 2, as_word(text.data()), static_cast<long>(text.size()));
}

/// Carries out a call.     out: the result for the program
using trap_function = long (*)(trap&);

/// Installs the handlers of SIGSYS and of the park signal. Call it before install_filter().
void install_trap_handlers() noexcept;

/// Makes this process the owner of the window.
void own_process() noexcept;
/// Makes a forked child the owner of its copy.
void own_forked_process() noexcept;

// memory.cpp
long trap_mmap(trap&);
long trap_munmap(trap&);
long trap_mremap(trap&);
long trap_brk(trap&);
// advice.cpp
void note_advice() noexcept;
long trap_madvise(trap&);
long trap_process_madvise(trap&);
long trap_advice(trap&);
// shared_memory.cpp
long trap_shmat(trap&);
long trap_shmdt(trap&);
// async_contexts.cpp
long trap_io_setup(trap&);
long trap_io_destroy(trap&);
long trap_io_submit(trap&);
// threads.cpp
long trap_clone(trap&);
long trap_exit(trap&);
long trap_set_tid_address(trap&);
long trap_set_robust_list(trap&);
// process.cpp
long trap_exit_group(trap&);
long trap_readlink(trap&);
long trap_set_gs(trap&);
long trap_ptrace(trap&);
long trap_prctl(trap&);
long trap_landlock(trap&);
// queue_notices.cpp
long trap_mq_notify(trap&);
// input.cpp
void note_input(long bytes) noexcept;
long trap_input(trap&);
// execute.cpp
long trap_execve(trap&);
// signals.cpp
long trap_rt_sigaction(trap&);
long trap_rt_sigprocmask(trap&);
long trap_rt_sigpending(trap&);
long trap_sigaltstack(trap&);
// waiting.cpp
long trap_masked_wait(trap&);
long trap_ring_wait(trap&);
// clocks.cpp
long trap_clock_gettime(trap&);
long trap_timed_wait(trap&);
long trap_timer_settime(trap&);
long trap_times(trap&);
long trap_getrusage(trap&);
// ids.cpp
long trap_signal_to_id(trap&);
long trap_told_process(trap&);
long trap_told_thread(trap&);
long trap_owner(trap&);
long trap_terminal(trap&);
long trap_wait_for_group(trap&);
long trap_peer(trap&);
long trap_clock_getres(trap&);
long trap_path_of_id(trap&);
long trap_call_of_id(trap&);
long trap_call_of_two_ids(trap&);
long trap_capabilities(trap&);
long trap_timer_create(trap&);
long trap_pidfd_open(trap&);
// descriptors.cpp
void note_descriptor(const trap&, long fd);      // a further descriptor, beside the call's result
long trap_open(trap&);
long trap_accept(trap&);
long trap_new_descriptor(trap&);
long trap_ring_setup(trap&);
long trap_received(trap&);
long trap_receive(trap&);
long trap_maybe_descriptor(trap&);
long trap_watch(trap&);
long trap_descriptor_pair(trap&);
long trap_close(trap&);
long trap_close_range(trap&);
long trap_duplicate(trap&);
long trap_report(trap&);

}  // namespace mana::split
