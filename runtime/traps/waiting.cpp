// Waits that change the signal mask, or wait for signals: made with a copy of the mask without ours.
#include "signals.hpp"
#include "stub_call.hpp"

#include "../loader/bridge.hpp"

#include <cerrno>

namespace mana::split {
namespace {

struct mask_pair {
  std::uint64_t mask, bytes;
};  // pselect6's last argument

/// The argument that is the mask's address, and its register.
struct mask_argument {
  int index, reg;
};

mask_argument mask_of(long number) noexcept {
  switch (number) {
    case SYS_ppoll: return {3, REG_R10};
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: return {4, REG_R8};
    case SYS_pselect6: return {5, REG_R9};
    default: return {0, REG_RDI};  // rt_sigsuspend, rt_sigtimedwait
  }
}

}  // namespace

/// What cannot be read the stub passes on as such: the kernel says so, or what is wrong beside.
long trap_masked_wait(trap& t) {
  const mask_argument argument = mask_of(t.number);
  const bool is_pair = t.number == SYS_pselect6;
  auto mask = t.pointer<const signal_set>(argument.index);
  mask_pair pair{};
  const bool has_pair = is_pair && mask.as<const mask_pair>().get(pair) == 0;
  if (has_pair) mask = {t.memory, pair.mask};
  const bool is_given = (!is_pair || has_pair) && !mask.is_null();
  signal_set wanted = 0;
  const bool has_mask = is_given && mask.get(wanted) == 0;

  const auto frame = static_cast<long>(stub_frame(t));
  const long number = continue_in_stub(t, stub().call);
  long to_pass = is_pair && !has_pair ? untouchable : !is_given ? 0 : has_mask ? frame + STUB_CALL_MASK : untouchable;
  if (has_mask) in_frame<signal_set>(frame, STUB_CALL_MASK) = without_ours(wanted);
  if (has_pair) {
    in_frame<mask_pair>(frame, STUB_CALL_PAIR) = {static_cast<std::uint64_t>(to_pass), pair.bytes};
    to_pass = frame + STUB_CALL_PAIR;
  }
  t.set_reg(argument.reg, to_pass);
  return number;
}

}  // namespace mana::split
