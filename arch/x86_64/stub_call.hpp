// Calls that block are not made inside the trap, where no signal could reach them: the stub makes them in the upper half,
// with changed arguments, and returns behind the trapped instruction.
#pragma once
#include <runtime/split/call/trap.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/layout.h>

namespace mana::split {

/// Where the stub's frame will be. Not to be written before continue_in_stub(): the kernel's frame of the trap still lies there.
inline std::uintptr_t stub_frame(const trap& t) noexcept {
  return static_cast<std::uintptr_t>(t.reg(REG_RSP)) - STUB_CALL_BYTES;
}

/// It lies where the kernel has written the trap's own frame, and so can be touched (INV-72).
template <class T>
T& in_frame(long frame, unsigned offset) noexcept {
  return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(frame) + offset);
}
template <class T>
T& in_stub_frame(const trap& t, unsigned offset) noexcept {
  return in_frame<T>(static_cast<long>(stub_frame(t)), offset);
}

/// Of the call that the stub made, when it reports to a trap.
inline long made_by_stub(const trap& t) noexcept { return in_frame<const long>(t.reg(REG_RSP), STUB_CALL_NUMBER); }

/// Has the trap's return load the registers beside the general ones from elsewhere than the trap's frame.
void move_registers(ucontext_t& context) noexcept;

/// Makes the thread continue in the stub at `entry`, which makes the call with the registers as they are then; those
/// that the caller changes afterwards are given back to the program. Returns what the trap returns: the call's number.
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

/// The same for mana_timed_call, whose end and whose interruption give back %rsi and %rdx as well: both are kept here, whichever
/// the caller changes (INV-83).
inline long continue_in_timed_call(trap& t) noexcept {
  const long number = continue_in_stub(t, stub().timed_call);
  in_frame<long>(t.reg(REG_RSP), STUB_TIMED_RSI) = t.reg(REG_RSI);
  in_frame<long>(t.reg(REG_RSP), STUB_TIMED_RDX) = t.reg(REG_RDX);
  return number;
}

}  // namespace mana::split
