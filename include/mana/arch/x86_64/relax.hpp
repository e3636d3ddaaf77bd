// The rest between two looks at memory that others change.
#pragma once

namespace mana::arch {

/// Tens of cycles on current processors. The other thread of the core has them.
[[gnu::always_inline]] inline void relax() noexcept { __builtin_ia32_pause(); }

}  // namespace mana::arch
