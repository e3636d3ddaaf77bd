// Waits that change the signal mask, or wait for signals: made with a copy of the mask without ours.
#include "signals.hpp"
#include "stub_call.hpp"

#include "../loader/bridge.hpp"

#include <cerrno>

namespace mana::split {
namespace {

struct mask_pair { const signal_set* mask; std::uint64_t bytes; };   // pselect6's last argument

/// Register that holds the mask's address.
int mask_register(long number) noexcept {
  switch (number) {
    case SYS_ppoll: return REG_R10;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: return REG_R8;
    case SYS_pselect6: return REG_R9;
    default: return REG_RDI;   // rt_sigsuspend, rt_sigtimedwait
  }
}

}  // namespace

long trap_masked_wait(trap& t) {
  const int reg = mask_register(t.number);
  const signal_set* mask = reinterpret_cast<const signal_set*>(t.reg(reg));
  mask_pair pair{};
  if (t.number == SYS_pselect6) {
    pair = *reinterpret_cast<const mask_pair*>(t.reg(reg));
    mask = pair.mask;
  }
  const signal_set wanted = mask == nullptr ? 0 : without_ours(*mask);
  const std::uintptr_t frame = stub_frame(t);
  const long number = continue_in_stub(t, stub().call);
  if (mask == nullptr) return number;
  *reinterpret_cast<signal_set*>(frame + STUB_CALL_MASK) = wanted;
  std::uintptr_t argument = frame + STUB_CALL_MASK;
  if (t.number == SYS_pselect6) {
    *reinterpret_cast<mask_pair*>(frame + STUB_CALL_PAIR) = {reinterpret_cast<const signal_set*>(argument), pair.bytes};
    argument = frame + STUB_CALL_PAIR;
  }
  t.set_reg(reg, static_cast<long>(argument));
  return number;
}

}  // namespace mana::split
