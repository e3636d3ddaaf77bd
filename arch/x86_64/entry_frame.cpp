// Enters the upper half in the way in which a signal handler ends. That sets registers, signal mask and floating-point
// state at once, so that no signal finds a thread half way in.
#include <arch/x86_64/enter.hpp>
#include <runtime/split/threads/twin.hpp>

#include <csignal>
#include <cstring>

namespace mana::split {

/// The part of a frame that rt_sigreturn(2) reads.
struct entry_frame {
  ucontext_t context;
  alignas(64) unsigned char floating_point[512];   // FXSAVE area
};
static_assert(sizeof(entry_frame) + alignof(entry_frame) <= entry_frame_bytes);

namespace {
constexpr std::size_t software_bytes_offset = 464;   // of fpx_sw_bytes: no magic number there means no state beyond SSE
}

void* make_entry_frame(void* memory, const ucontext_t& from, std::uint64_t stack) noexcept {
  const auto start =
      (reinterpret_cast<std::uintptr_t>(memory) + alignof(entry_frame) - 1) & ~(alignof(entry_frame) - 1);
  auto* const frame = reinterpret_cast<entry_frame*>(start);
  constexpr std::size_t kernel_part = offsetof(ucontext_t, uc_sigmask) + sizeof(signal_set);
  std::memset(static_cast<void*>(frame), 0, sizeof *frame);
  std::memcpy(static_cast<void*>(&frame->context), &from, kernel_part);
  auto& machine = frame->context.uc_mcontext;
  if (machine.fpregs != nullptr) {
    std::memcpy(frame->floating_point, machine.fpregs, software_bytes_offset);
    machine.fpregs = reinterpret_cast<fpregset_t>(frame->floating_point);
  }
  machine.gregs[REG_RAX] = 0;
  if (stack != 0) machine.gregs[REG_RSP] = static_cast<greg_t>(stack);
  frame->context.uc_stack = {};
  frame->context.uc_stack.ss_flags = SS_DISABLE;
  return frame;
}

void move_entry_frame(void* frame, std::uintptr_t to) noexcept {
  auto& machine = static_cast<entry_frame*>(frame)->context.uc_mcontext;
  if (machine.fpregs != nullptr)
    machine.fpregs = reinterpret_cast<fpregset_t>(to + offsetof(entry_frame, floating_point));
}

void enter_upper_half(void* frame, std::uint64_t thread_pointer) noexcept {
  write_thread_pointer(thread_pointer);
  arch::return_from_signal(frame);
}

}  // namespace mana::split
