// Waits that change the signal mask, or wait for signals. They get a copy of the mask without mana's signals.
#include <arch/stub_call.hpp>
#include <runtime/split/traps/signals/signals.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/held_signals.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <cerrno>

namespace mana::split {
namespace {

/// Last argument of pselect6 and io_pgetevents.
struct mask_pair {
  std::uint64_t mask, bytes;
};

constexpr bool takes_pair(long number) noexcept { return number == SYS_pselect6 || number == SYS_io_pgetevents; }

/// The index of the argument with the mask's address, and its register.
struct mask_argument {
  int index, reg;
};

mask_argument mask_of(long number) noexcept {
  switch (number) {
    case SYS_ppoll: return {3, arch::argument[3]};
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_io_uring_enter: return {4, arch::argument[4]};
    case SYS_pselect6:
    case SYS_io_pgetevents: return {5, arch::argument[5]};
    default: return {0, arch::argument[0]};  // rt_sigsuspend, rt_sigtimedwait
  }
}

/// INV-71: whether a SIGSYS that the program had blocked ends its wait at once: with the signal, or by its handler.
bool ends_by_held(trap& t, signal_set mask, long& result) noexcept {
  if (blocks_sigsys(*t.self) == 0 || !has_held_sigsys(*t.self)) return false;
  result = -EINTR;
  if (t.number != SYS_rt_sigtimedwait) return (mask & sigsys_set) == 0 && release_held_sigsys(*t.self);
  siginfo_t info;
  if ((mask & sigsys_set) == 0 || !take_held_sigsys(*t.self, info)) return false;
  const auto wanted = t.pointer<siginfo_t>(1);
  result = wanted.is_null() || wanted.put(info) == 0 ? SIGSYS : -EFAULT;
  return true;
}

}  // namespace

/// The stub passes unreadable arguments on: the kernel reports them, or another fault first.
long trap_masked_wait(trap& t) {
  const mask_argument argument = mask_of(t.number);
  const bool is_pair = takes_pair(t.number);
  auto mask = t.pointer<const signal_set>(argument.index);
  mask_pair pair{};
  const bool has_pair = is_pair && mask.as<const mask_pair>().get(pair) == 0;
  if (has_pair) mask = {t.memory, pair.mask};
  const bool is_given = (!is_pair || has_pair) && !mask.is_null();
  signal_set wanted = 0;
  const bool has_mask = is_given && mask.get(wanted) == 0;

  if (long result = 0; has_mask && ends_by_held(t, wanted, result)) return result;
  const auto frame = static_cast<long>(stub_frame(t));
  const bool tells_sender = t.number == SYS_rt_sigtimedwait && saved().former.count != 0;
  const long number = continue_in_stub(t, tells_sender ? stub().reported_call : stub().call);
  long to_pass = is_pair && !has_pair ? untouchable : !is_given ? 0 : has_mask ? frame + STUB_CALL_MASK : untouchable;
  if (has_mask) in_frame<signal_set>(frame, STUB_CALL_MASK) = without_ours(wanted);
  if (has_pair) {
    in_frame<mask_pair>(frame, STUB_CALL_PAIR) = {static_cast<std::uint64_t>(to_pass), pair.bytes};
    to_pass = frame + STUB_CALL_PAIR;
  }
  t.set_reg(argument.reg, to_pass);
  return number;
}

/// io_uring_enter(ring, submit, wait, flags, argument, its bytes): the argument is a mask, or points to a mask and a
/// time. Nobody can see an argument that was registered with the ring.
long trap_ring_wait(trap& t) {
  constexpr long extended = 1 << 3, registered = 1 << 6;       // IORING_ENTER_EXT_ARG, IORING_ENTER_EXT_ARG_REG
  struct ring_argument { std::uint64_t mask; std::uint32_t bytes, rest; std::uint64_t time; };
  static_assert(STUB_CALL_RING + sizeof(ring_argument) <= STUB_CALL_BYTES - 128);
  if ((t.arg(3) & extended) == 0) return trap_masked_wait(t);
  ring_argument copy{};
  const bool seen = (t.arg(3) & registered) == 0 && t.arg(5) == sizeof(ring_argument) &&
                    t.pointer<const ring_argument>(4).get(copy) == 0;
  signal_set wanted = 0;
  const bool has_mask = seen && copy.mask != 0 && program_pointer<const signal_set>(t.memory, copy.mask).get(wanted) == 0;
  const auto frame = static_cast<long>(stub_frame(t));
  const long number = continue_in_stub(t, stub().call);
  if (!has_mask) return number;
  in_frame<signal_set>(frame, STUB_CALL_MASK) = without_ours(wanted);
  copy.mask = static_cast<std::uint64_t>(frame + STUB_CALL_MASK);
  in_frame<ring_argument>(frame, STUB_CALL_RING) = copy;
  t.set_reg(arch::argument[4], frame + STUB_CALL_RING);
  return number;
}

}  // namespace mana::split
