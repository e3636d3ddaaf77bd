// Requests that the application let go while they were active. Nobody will ask for them again, so every new one looks
// after two that came before it: their number follows that of the operations which are really under way.
#pragma once
#include <mana/wrap/completion.hpp>

#include <utility>

namespace mana::wrap {

inline void append_detached(request_entry& e) noexcept {
  library_state& lib = library();
  (lib.last_detached != nullptr ? lib.last_detached->what.next_detached : lib.first_detached) = &e;
  lib.last_detached = &e;
}

/// Takes the oldest of them; one that has ended is freed, one that has not goes to the end of the line.
inline void look_after_one() noexcept {
  library_state& lib = library();
  request_entry* const e = lib.first_detached;
  if (e == nullptr) return;
  lib.first_detached = std::exchange(e->what.next_detached, nullptr);
  if (lib.first_detached == nullptr) lib.last_detached = nullptr;
  request_entry* list[] = {e};
  if (e->what.state == vid::request_state::active) poll_entries(1, list, 0);
  if (e->what.state == vid::request_state::done) free_request(*e);
  else append_detached(*e);
}

/// in: e  active
inline void detach(request_entry& e) noexcept {
  library_state& lib = library();
  const bool locked = lib.callers == turns::at_once;
  e.what.detached = true;
  while (locked && lib.detached_lock.test_and_set(std::memory_order_acquire)) {}
  append_detached(e);
  for (int i = 0; i < 2; ++i) look_after_one();
  if (locked) lib.detached_lock.clear(std::memory_order_release);
}

}  // namespace mana::wrap
