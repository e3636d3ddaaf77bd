// Calls after which a mapping, or all of them, has what /proc/self/maps does not show. A checkpoint looks for it only if there
// was one: that is slow.
#include "lazy.hpp"
#include "trap.hpp"

#include "../loader/saved_state.hpp"

#include <sys/mman.h>

namespace mana::split {

void note_advice() noexcept { saved().has_advice = 1; }

namespace {

constexpr int give_back_locked = 24;       // MADV_DONTNEED_LOCKED, newer than this libc

bool gives_back(long advice) noexcept {
  return advice == MADV_DONTNEED || advice == MADV_FREE || advice == give_back_locked;
}

}  // namespace

bool stays_advised(long advice) noexcept {
  return advice == MADV_RANDOM || advice == MADV_SEQUENTIAL || (advice >= MADV_DONTFORK && advice < MADV_COLD);
}

/// madvise, after a lazy restart every one; else with an advice that stays. mlock, mlock2, mlockall, munlockall, mbind
long trap_advice(trap& t) {
  if (t.number == SYS_madvise && gives_back(t.arg(2))) return give_back_lazy(t);
  const long result = t.carry_out();
  if (t.number == SYS_madvise && !stays_advised(t.arg(2))) return result;
  if (is_error(result) || t.role == process_role::borrowing) return result;
  if (t.number == SYS_mlockall) saved().locks_all = static_cast<std::uint32_t>(t.arg(0));
  if (t.number == SYS_munlockall) saved().locks_all = 0;
  note_advice();
  return result;
}

}  // namespace mana::split
