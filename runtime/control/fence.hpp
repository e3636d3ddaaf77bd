// A memory barrier on every thread of this process, from outside: the other half of the wrappers' fences, which are
// only a compiler's. So a collective costs no fence.
#pragma once

namespace mana::control {

/// Once per process, before fence_all_threads().
void prepare_fences() noexcept;
/// When it returns, every thread has passed a full barrier since the call: it has either seen what the caller stored
/// before, or the caller sees what it had stored.
void fence_all_threads() noexcept;

}  // namespace mana::control
