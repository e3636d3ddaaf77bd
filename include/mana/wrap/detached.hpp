// Requests that the application let go while they were active. Nobody will ask for them again, so every new one looks
// after two that came before it: their number follows that of the operations which are really under way.
#pragma once
#include <mana/wrap/completion.hpp>

#include <mana/gen/lower_slots.hpp>

#include <new>
#include <utility>

namespace mana::wrap {

inline void append_detached(request_entry& e) noexcept {
  library_state& lib = library();
  (lib.last_detached != nullptr ? lib.last_detached->what.next_detached : lib.first_detached) = &e;
  lib.last_detached = &e;
}

/// Whether an active one of them is of this communicator. They are tested up to there: they may have ended unnoticed.
inline bool has_detached(std::uint32_t comm) noexcept {
  for (request_entry* e = library().first_detached; e != nullptr; e = e->what.next_detached) {
    if (e->what.comm != comm || e->what.state != vid::request_state::active) continue;
    if (e->real != 0) poll_entries(1, &e, 0);
    if (e->what.state == vid::request_state::active) return true;
  }
  return false;
}

/// What MPI_Comm_free does in the live MPI is local there, and expected by nobody.
inline int free_real(std::uint64_t real) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return lower::cross([&] { return mpi.MPI_Comm_free(&real); });
}

/// Frees those of the application's freed communicators of which the last request has ended.
inline void free_unused_comms() noexcept {
  for (freed_comm** at = &library().freed_comms; *at != nullptr;) {
    freed_comm* const c = *at;
    if (c->real != 0 && has_detached(c->name)) {
      at = &c->next;
      continue;
    }
    if (c->real != 0) free_real(c->real);
    *at = c->next;
    delete c;
  }
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

/// Only one thread at a time is here.
template <class Do>
inline void with_detached(Do&& act) noexcept {
  library_state& lib = library();
  const bool locked = lib.callers == turns::at_once;
  while (locked && lib.detached_lock.test_and_set(std::memory_order_acquire)) {}
  act();
  if (locked) lib.detached_lock.clear(std::memory_order_release);
}

/// in: e  active
inline void detach(request_entry& e) noexcept {
  e.what.detached = true;
  with_detached([&e] {
    append_detached(e);
    for (int i = 0; i < 2; ++i) look_after_one();
    free_unused_comms();
  });
}

/// Frees a communicator in the live MPI, or leaves that until no detached request is of it: Open MPI 4.1 loses count of the
/// holders of an intercommunicator that is freed while it has some, and destroys it under them. Its own detached requests end
/// by themselves, ours when they are looked after.
/// in: name  as requests have it      out: neutral error class
inline int free_real_when_unused(std::uint32_t name, std::uint64_t real) noexcept {
  int rc = neutral::success;
  bool is_used = false;
  if (__atomic_load_n(&library().first_detached, __ATOMIC_RELAXED) != nullptr)
    with_detached([&] {
      freed_comm* const c = has_detached(name) ? new (std::nothrow) freed_comm{name, real, library().freed_comms} : nullptr;
      if (c != nullptr) library().freed_comms = c;
      is_used = c != nullptr;
    });
  if (!is_used) rc = free_real(real);
  return rc;
}

}  // namespace mana::wrap
