// clone, exit, and calls by which libc tells the kernel about a thread.
#include <runtime/split/call/descriptor_events.hpp>

#include <arch/enter.hpp>
#include <runtime/split/threads/twin.hpp>
#include <runtime/split/traps/memory/lazy.hpp>
#include <runtime/split/traps/process/process.hpp>

#include <runtime/split/window/held_signals.hpp>
#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/reservations.hpp>
#include <runtime/split/window/window.hpp>

#include <mana/lower/context.hpp>

#include <sched.h>

#include <cerrno>

namespace mana::split {
namespace {

/// Runs on the new twin's stack.
void live_as_clone(birth& b) {
  lower::thread_block& block = *b.block;
  const trap& call = *b.call;
  const long flags = call.arg(0);
  twin self;
  adopt(block, self);
  const int tid = block.tid;
  block.tid_address = static_cast<std::uint64_t>(call.arg(2));
  if ((flags & CLONE_PARENT_SETTID) != 0)
    call.pointer<int>(2).put_whole(tid);  // as the kernel, which ignores a fault
  if ((flags & CLONE_CHILD_SETTID) != 0) call.pointer<int>(3).put_whole(tid);
  if ((flags & CLONE_CHILD_CLEARTID) != 0) block.clear_tid = static_cast<std::uint64_t>(call.arg(3));
  blocks_sigsys(block) = blocks_sigsys(*call.self);
  block.upper_fs = (flags & CLONE_SETTLS) != 0 ? static_cast<std::uint64_t>(call.arg(4)) : call.upper_fs;
  alignas(64) unsigned char memory[entry_frame_bytes];
  void* const frame = make_entry_frame(memory, *call.context, static_cast<std::uint64_t>(call.arg(1)));
  if (mana_save_context(&self.back) == 0) {
    publish(block);
    b.started();
    enter_upper_half(frame, block.upper_fs);
  }
  after_upper_half(block, self);
}

long clone_in_owner(trap& t) noexcept {
  lower::thread_block* const block = new_block();
  if (block == nullptr) return -EAGAIN;
  share_descriptors(*t.self, *block);
  birth b{live_as_clone, block, &t};
  const long error = create_twin(b);
  if (error != 0) block->state.store(lower::thread_state::unused);
  // The new thread may have ended already. Its block had its id when it began.
  return error != 0 ? error : b.tid;
}

/// A thread of a forked child has no twin: the child never runs its copy of the lower half. The thread enters from the
/// kernel directly, and binds itself to its block on the way.
long clone_in_forked(trap& t) noexcept {
  lower::thread_block* const block = new_block();
  if (block == nullptr) return -EAGAIN;
  block->lower_fs = t.self->lower_fs;
  blocks_sigsys(*block) = blocks_sigsys(*t.self);
  const auto stack = static_cast<std::uint64_t>(t.arg(1));
  alignas(64) unsigned char built[entry_frame_bytes];
  const std::uintptr_t frame = (stack - arch::red_zone_bytes - entry_frame_bytes) & ~std::uintptr_t{63};
  move_entry_frame(make_entry_frame(built, *t.context, stack), frame);
  if (t.memory.write(frame, built, sizeof built) != sizeof built) {
    block->state.store(lower::thread_state::unused);
    return -EFAULT;
  }
  block->state.store(lower::thread_state::running);
  const long result = arch::clone_into_frame(t.arg(0), frame, t.arg(2), t.arg(3), t.arg(4), block);
  if (is_error(result)) block->state.store(lower::thread_state::unused);
  return result;
}

/// Makes a child with a copy of the memory. The maps of memory are locked meanwhile, so that the copies are complete.
/// The child continues here too, on its copy of this stack.
long fork_child(trap& t) noexcept {
  const bool plain = t.number == SYS_fork;
  const long flags = plain ? 17 /* SIGCHLD */ : t.arg(0);
  const long stack = plain ? 0 : t.arg(1);
  mmap_window().lock();
  low_window().lock();
  lock_lazy();
  lock_reservations();
  const long result = raw_call(SYS_clone, flags & ~CLONE_SETTLS, 0, plain ? 0 : t.arg(2), plain ? 0 : t.arg(3), 0);
  unlock_reservations();
  unlock_lazy();
  low_window().unlock();
  mmap_window().unlock();
  if (result > 0 && (flags & CLONE_FILES) != 0) note_shared_descriptors();
  int pidfd = 0;
  if (result > 0 && (flags & CLONE_PIDFD) != 0 && t.pointer<const int>(2).get(pidfd) == 0) note_descriptor(t, pidfd);
  if (result != 0) return result;
  if (t.role != process_role::borrowing) {
    own_forked_process();
    saved().held.count = 0;                            // a child does not inherit the signals that wait for its parent
    saved().held.lock = 0;                             // another thread of the parent may have held it
    forget_processor_time(*t.self);
  }
  constexpr long shared = CLONE_FILES | CLONE_VM;      // with shared memory the parent's word would change
  if ((flags & shared) == 0) close_what_stands_for_parent();
  t.self->tid = static_cast<std::int32_t>(raw_call(SYS_gettid));
  if ((flags & CLONE_SETTLS) != 0) t.upper_fs = static_cast<std::uint64_t>(t.arg(4));
  if (stack != 0) t.set_reg(arch::stack, stack);
  return 0;
}

}  // namespace

long trap_clone(trap& t) {
  if (t.number == SYS_fork || (t.arg(0) & CLONE_THREAD) == 0) return fork_child(t);
  switch (t.role) {
    case process_role::owner: return clone_in_owner(t);
    case process_role::forked: return clone_in_forked(t);
    case process_role::borrowing: break;
  }
  return -ENOSYS;
}

long trap_exit(trap& t) {
  if (t.role == process_role::owner) {
    pass_on_checkpoints(*t.self);
    leave_upper_half(t, leave_reason::thread_ends);
  }
  if (t.role == process_role::borrowing) leave_owners_block(t);
  else t.self->state.store(lower::thread_state::unused);
  return t.carry_out();
}

/// The kernel clears the twin's address, which is the lower libc's. after_upper_half() clears the upper one's.
long trap_set_tid_address(trap& t) {
  if (t.role != process_role::owner) return t.carry_out();
  t.self->tid_address = t.self->clear_tid = static_cast<std::uint64_t>(t.arg(0));
  return t.self->tid;
}

long trap_set_robust_list(trap& t) {
  const long result = t.carry_out();
  if (is_error(result) || t.role == process_role::borrowing) return result;
  t.self->robust_list = static_cast<std::uint64_t>(t.arg(0));
  t.self->robust_length = static_cast<std::uint64_t>(t.arg(1));
  return result;
}

}  // namespace mana::split
