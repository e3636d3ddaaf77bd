// Calls after which a mapping, or all of them, has what /proc/self/maps does not show. A checkpoint looks for it only if there
// was one: that is slow.
#include "trap.hpp"

#include "../loader/saved_state.hpp"

#include <sys/mman.h>

namespace mana::split {

void note_advice() noexcept { saved().has_advice = 1; }

/// madvise with an advice that stays, mlock, mlock2, mlockall, munlockall, mbind
long trap_advice(trap& t) {
  const long result = t.carry_out();
  if (is_error(result) || t.role == process_role::borrowing) return result;
  if (t.number == SYS_mlockall) saved().locks_all = static_cast<std::uint32_t>(t.arg(0));
  if (t.number == SYS_munlockall) saved().locks_all = 0;
  note_advice();
  return result;
}

}  // namespace mana::split
