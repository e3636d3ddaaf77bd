// Waits that change the signal mask, or wait for signals: made with a copy of the mask without ours.
#include "signals.hpp"
#include "stub_call.hpp"

#include "../loader/bridge.hpp"
#include "../loader/held_signals.hpp"

#include <cerrno>

namespace mana::split {
namespace {

/// Last argument of pselect6 and io_pgetevents.
struct mask_pair { const signal_set* mask; std::uint64_t bytes; };

constexpr bool takes_pair(long number) noexcept { return number == SYS_pselect6 || number == SYS_io_pgetevents; }

/// Register that holds the mask's address.
int mask_register(long number) noexcept {
  switch (number) {
    case SYS_ppoll: return REG_R10;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_io_uring_enter: return REG_R8;
    case SYS_pselect6:
    case SYS_io_pgetevents: return REG_R9;
    default: return REG_RDI;   // rt_sigsuspend, rt_sigtimedwait
  }
}

/// INV-71: whether a SIGSYS that the program had blocked ends its wait at once: with the signal, or by its handler.
bool ends_by_held(trap& t, signal_set mask, long& result) noexcept {
  if (blocks_sigsys(*t.self) == 0 || !has_held_sigsys(*t.self)) return false;
  result = -EINTR;
  if (t.number != SYS_rt_sigtimedwait) return (mask & sigsys_set) == 0 && release_held_sigsys(*t.self);
  siginfo_t info;
  if ((mask & sigsys_set) == 0 || !take_held_sigsys(*t.self, info)) return false;
  if (auto* const wanted = t.pointer<siginfo_t>(1); wanted != nullptr) *wanted = info;
  result = SIGSYS;
  return true;
}

}  // namespace

long trap_masked_wait(trap& t) {
  const int reg = mask_register(t.number);
  const signal_set* mask = reinterpret_cast<const signal_set*>(t.reg(reg));
  mask_pair pair{};
  if (takes_pair(t.number)) {
    pair = *reinterpret_cast<const mask_pair*>(t.reg(reg));
    mask = pair.mask;
  }
  const signal_set wanted = mask == nullptr ? 0 : without_ours(*mask);
  if (long result = 0; mask != nullptr && ends_by_held(t, *mask, result)) return result;
  const std::uintptr_t frame = stub_frame(t);
  const long number = continue_in_stub(t, stub().call);
  if (mask == nullptr) return number;
  *reinterpret_cast<signal_set*>(frame + STUB_CALL_MASK) = wanted;
  std::uintptr_t argument = frame + STUB_CALL_MASK;
  if (takes_pair(t.number)) {
    *reinterpret_cast<mask_pair*>(frame + STUB_CALL_PAIR) = {reinterpret_cast<const signal_set*>(argument), pair.bytes};
    argument = frame + STUB_CALL_PAIR;
  }
  t.set_reg(reg, static_cast<long>(argument));
  return number;
}

/// io_uring_enter(ring, submit, wait, flags, argument, its bytes): the argument is a mask, or names one beside a time. One that
/// was registered with the ring cannot be seen.
long trap_ring_wait(trap& t) {
  constexpr long extended = 1 << 3, registered = 1 << 6;       // IORING_ENTER_EXT_ARG, IORING_ENTER_EXT_ARG_REG
  struct ring_argument { const signal_set* mask; std::uint32_t bytes, rest; std::uint64_t time; };
  static_assert(STUB_CALL_RING + sizeof(ring_argument) <= STUB_CALL_BYTES - 128);
  if ((t.arg(3) & extended) == 0) return trap_masked_wait(t);
  const bool seen = (t.arg(3) & registered) == 0 && t.arg(5) == sizeof(ring_argument);
  ring_argument copy = seen ? *t.pointer<const ring_argument>(4) : ring_argument();
  const signal_set wanted = copy.mask == nullptr ? 0 : without_ours(*copy.mask);
  const std::uintptr_t frame = stub_frame(t);
  const long number = continue_in_stub(t, stub().call);
  if (copy.mask == nullptr) return number;
  auto* const mask = reinterpret_cast<signal_set*>(frame + STUB_CALL_MASK);
  *mask = wanted;
  copy.mask = mask;
  *reinterpret_cast<ring_argument*>(frame + STUB_CALL_RING) = copy;
  t.set_reg(REG_R8, static_cast<long>(frame + STUB_CALL_RING));
  return number;
}

}  // namespace mana::split
