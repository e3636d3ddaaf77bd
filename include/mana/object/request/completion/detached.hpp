// Requests that the program freed while they were active. Nobody asks for them again. So every new one tests two that
// came before it: their number then follows the number of operations that are really under way.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/request/completion/completion.hpp>
#include <mana/object/request/state.hpp>

#include <utility>

namespace mana::object {

inline void append_detached(request_entry& e) noexcept {
  request_state& all = requests();
  (all.last_detached != nullptr ? all.last_detached->what.next_detached : all.first_detached) = &e;
  all.last_detached = &e;
}

/// in: a request that was taken from the line. Frees it if it has ended; otherwise puts it back.
inline void end_if_done(request_entry& e) noexcept {
  request_entry* list[] = {&e};
  if (e.what.state == request_stage::active) poll_entries(1, list, 0);
  if (e.what.state == request_stage::done) free_request(e);
  else append_detached(e);
}

/// Takes the oldest request. If it has ended it is freed, otherwise it goes to the end of the line.
inline void look_after_one() noexcept {
  request_state& all = requests();
  request_entry* const e = all.first_detached;
  if (e == nullptr) return;
  all.first_detached = std::exchange(e->what.next_detached, nullptr);
  if (all.first_detached == nullptr) all.last_detached = nullptr;
  end_if_done(*e);
}

/// Runs act() in one thread at a time.
template <class Do>
inline void with_detached(Do&& act) noexcept {
  call::library_state& lib = call::library();
  const bool locked = lib.callers == turns::at_once;
  while (locked && requests().detached_lock.test_and_set(std::memory_order_acquire)) {}
  act();
  if (locked) requests().detached_lock.clear(std::memory_order_release);
}

/// in: e  active
inline void detach(request_entry& e) noexcept {
  e.what.detached = true;
  with_detached([&e] {
    append_detached(e);
    for (int i = 0; i < 2; ++i) look_after_one();
  });
}

/// Frees the requests of a communicator that have ended unnoticed. comm: nullptr: of all communicators
inline void end_detached(const vid::entry<kind::comm>* comm) noexcept {
  if (__atomic_load_n(&requests().first_detached, __ATOMIC_RELAXED) == nullptr) return;
  with_detached([comm] {
    request_state& all = requests();
    request_entry* e = all.first_detached;
    all.first_detached = all.last_detached = nullptr;
    while (e != nullptr) {
      request_entry* const next = std::exchange(e->what.next_detached, nullptr);
      if (comm == nullptr || e->what.on == comm) end_if_done(*e);
      else append_detached(*e);
      e = next;
    }
  });
}

}  // namespace mana::object
