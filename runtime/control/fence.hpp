// A memory barrier on every thread of this process, from outside. The wrappers' fences, its other half, order the
// compiler alone. So a collective pays for no fence.
#pragma once

namespace mana::control {

/// Call once per process, before fence_all_threads().
void prepare_fences() noexcept;
/// On return, every thread has passed a full barrier since the call. So either the thread has seen what the caller
/// stored before, or the caller sees what the thread stored.
void fence_all_threads() noexcept;

}  // namespace mana::control
