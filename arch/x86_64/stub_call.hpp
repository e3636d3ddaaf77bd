// In a trap no signal could reach a call that blocks. Therefore the stub makes such calls in the upper half, with
// changed arguments, and returns behind the trapped instruction.
#pragma once
#include <runtime/split/call/trap.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/layout.h>

namespace mana::split {

/// Address of the future stub's frame. Do not write to it before continue_in_stub(): the kernel's frame of the trap is
/// still there.
inline std::uintptr_t stub_frame(const trap& t) noexcept {
  return static_cast<std::uintptr_t>(t.reg(REG_RSP)) - STUB_CALL_BYTES;
}

/// The memory is accessible (INV-72): the kernel has written the trap's own frame there.
template <class T>
T& in_frame(long frame, unsigned offset) noexcept {
  return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(frame) + offset);
}
template <class T>
T& in_stub_frame(const trap& t, unsigned offset) noexcept {
  return in_frame<T>(static_cast<long>(stub_frame(t)), offset);
}

/// Number of the stub's call, when the stub reports to a trap.
inline long made_by_stub(const trap& t) noexcept { return in_frame<const long>(t.reg(REG_RSP), STUB_CALL_NUMBER); }

/// Makes the trap's return load the registers other than the general ones from a copy of the trap's frame.
void move_registers(ucontext_t& context) noexcept;

/// Makes the thread continue in the stub at `entry`. The stub makes the call with the registers as they are then. It
/// gives registers that the caller changes afterwards back to the program.
/// out: the trap's result: the call's number
inline long continue_in_stub(trap& t, std::uintptr_t entry) noexcept {
  move_registers(*t.context);
  in_stub_frame<long>(t, STUB_CALL_RETURN) = t.reg(REG_RIP);
  in_stub_frame<long>(t, STUB_CALL_NUMBER) = t.number;
  in_stub_frame<long>(t, STUB_CALL_RDI) = t.reg(REG_RDI);
  in_stub_frame<long>(t, STUB_CALL_R8) = t.reg(REG_R8);
  in_stub_frame<long>(t, STUB_CALL_R9) = t.reg(REG_R9);
  in_stub_frame<long>(t, STUB_CALL_R10) = t.reg(REG_R10);
  t.set_reg(REG_RSP, static_cast<long>(stub_frame(t)));
  t.set_reg(REG_RIP, static_cast<long>(entry));
  return t.number;
}

/// As continue_in_stub(), for mana_timed_call. Its end and its interruption restore %rsi and %rdx as well. Both are
/// kept here, whichever of them the caller changes.
///
/// INV-83 a call that the stub makes for the program leaves every register as the program's own call would, also if it
/// is interrupted and made again
inline long continue_in_timed_call(trap& t) noexcept {
  const long number = continue_in_stub(t, stub().timed_call);
  in_frame<long>(t.reg(REG_RSP), STUB_TIMED_RSI) = t.reg(REG_RSI);
  in_frame<long>(t.reg(REG_RSP), STUB_TIMED_RDX) = t.reg(REG_RDX);
  return number;
}

}  // namespace mana::split
